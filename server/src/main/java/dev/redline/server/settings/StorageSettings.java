package dev.redline.server.settings;

import dev.redline.core.internal.settings.PropertyReader;

/**
 * Where bucket state is kept.
 *
 * @param type the kind of store
 * @param maxKeys how many keys a store in this process holds
 */
public record StorageSettings(Type type, long maxKeys) {
  /** The kinds of store. */
  public enum Type {
    /** A hash table in this process. */
    LOCAL,
    /** A Caffeine cache in this process. */
    CAFFEINE,
    /** Redis or Valkey, shared with other processes. */
    REDIS
  }

  static StorageSettings read(PropertyReader from) {
    return new StorageSettings(
        from.property("rl.storage.type", "or `CAFFEINE`, `REDIS`").choice(Type.class, Type.LOCAL),
        from.property("rl.storage.max-keys", "how many keys a store in memory holds")
            .number(1_000_000, 1, 1_000_000_000));
  }
}
