package dev.redline.stores.redis;

/** The scripts of a store, and the version of the key and value layout they use. */
record Protocol(
    Script acquire, Script acquireOne, Script refund, Script refundLast, String layout) {
  /** The protocol of all stores; tests also use others. */
  static final Protocol CURRENT =
      new Protocol(
          Script.load("acquire.lua"),
          Script.load("acquire-one.lua"),
          Script.load("refund.lua"),
          Script.load("refund-last.lua"),
          BucketKey.LAYOUT);

  /** Returns the scripts that a store uses, with leases or without. */
  Script[] scripts(boolean leases) {
    return leases
        ? new Script[] {acquire, acquireOne, refund, refundLast}
        : new Script[] {acquire, acquireOne, refund};
  }

  /** Returns the script that decides a batch. */
  Script acquire(Batch batch) {
    return batch.isOneSimpleAcquisition() ? acquireOne : acquire;
  }
}
