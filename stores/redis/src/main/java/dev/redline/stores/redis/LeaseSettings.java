package dev.redline.stores.redis;

import dev.redline.core.spi.PropertyReader;

/**
 * Whether and how much this process acquires ahead of demand for keys that are checked often.
 *
 * @param enabled whether it does at all
 * @param maxKeys for how many keys at most
 * @param maxShare how much of a bucket's capacity one process may hold unspent, above 0 and up to 1
 */
public record LeaseSettings(boolean enabled, int maxKeys, double maxShare) {
  /** The default: no leases. */
  public static final LeaseSettings OFF = new LeaseSettings(false, 10_000, 0.0625);

  /** Leases with the default bounds. */
  public static final LeaseSettings ON = new LeaseSettings(true, OFF.maxKeys, OFF.maxShare);

  /**
   * Validates the bounds.
   *
   * @throws IllegalArgumentException if one is out of range
   */
  public LeaseSettings {
    if (maxKeys < 1 || !(maxShare > 0 && maxShare <= 1)) {
      throw new IllegalArgumentException(
          "maxKeys must be at least 1 and maxShare above 0 and at most 1, were "
              + maxKeys
              + " and "
              + maxShare);
    }
  }

  /** Reads the properties {@code rl.lease.*}. */
  static LeaseSettings read(PropertyReader from) {
    return new LeaseSettings(
        from.property(
                "rl.lease.enabled",
                "whether a process takes tokens of busy keys ahead of demand and spends them without"
                    + " a call of Redis; see [Leases](leases.md)")
            .bool(false),
        from.property("rl.lease.max-keys", "for how many keys a process takes tokens ahead")
            .integer(OFF.maxKeys, 1, 1_000_000),
        from.property(
                "rl.lease.max-share",
                "how much of a bucket's capacity one process may hold unspent at most")
            .fraction(OFF.maxShare, 1));
  }
}
