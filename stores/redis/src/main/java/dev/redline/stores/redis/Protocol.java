package dev.redline.stores.redis;

/**
 * What a store says to Redis: its scripts, and the version of the key and value layout. Stores with
 * another layout have other buckets.
 */
record Protocol(Script acquire, Script refund, String layout) {
  /** The one that every store speaks outside of tests. */
  static final Protocol CURRENT =
      new Protocol(Script.load("acquire.lua"), Script.load("refund.lua"), BucketKey.LAYOUT);
}
