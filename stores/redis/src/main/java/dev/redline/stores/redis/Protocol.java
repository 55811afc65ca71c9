package dev.redline.stores.redis;

/** The scripts of a store, and the version of the key and value layout they use. */
record Protocol(Script acquire, Script refund, String layout) {
  /** The protocol of all stores; tests also use others. */
  static final Protocol CURRENT =
      new Protocol(Script.load("acquire.lua"), Script.load("refund.lua"), BucketKey.LAYOUT);
}
