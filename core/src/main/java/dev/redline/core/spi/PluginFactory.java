package dev.redline.core.spi;

import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.core.store.MicrosClock;
import java.util.Optional;

/**
 * Creates a store, a rule source or a metrics exporter from {@code rl.*} properties. Factories are
 * found by {@link java.util.ServiceLoader}: a jar on the class path, or in the service's {@code
 * rl.server.plugins-dir}, that names its factory in {@code META-INF/services} adds its kind.
 *
 * <p>A factory is created at every start, by its public constructor without parameters, and also if
 * it is not chosen: then its properties are still known and checked, but it creates nothing.
 *
 * @param <T> what it creates
 */
public interface PluginFactory<T> {
  /**
   * Creates one object from the properties that were read.
   *
   * @param <T> what it creates
   */
  @FunctionalInterface
  interface Creator<T> {
    /**
     * Creates the object; called at most once. A server that cannot be reached is no failure: the
     * object reports it later, and recovers by itself.
     *
     * @throws IllegalArgumentException if it cannot work with these properties; the message names
     *     the property and the way out, and stops the start
     */
    T create(PluginContext context);
  }

  /**
   * Returns the name by which properties choose it, in upper case: {@code ACME}. Users may write it
   * in any case, and with dashes for underscores.
   */
  String name();

  /**
   * Reads all properties of this factory; their names start with {@code rl.} and a word of its own.
   * Does no I/O; may be called more than once.
   *
   * @param chosen whether the properties choose this factory: only then may it report that a
   *     property is missing
   */
  Creator<T> read(PropertyReader properties, boolean chosen);

  /** What a {@link PluginFactory} can use of the application that it creates for. */
  interface PluginContext {
    /** Returns the clock of this process. A store that other processes share has its own time. */
    MicrosClock clock();

    /** Returns how many keys a store in memory may hold: {@code rl.storage.max-keys}. */
    long maxKeys();

    /** Returns {@code rl.reload.strategy}, if it is set: how rule sources notice changes. */
    default Optional<ReloadStrategy> reloadStrategy() {
      return Optional.empty();
    }

    /**
     * Returns the application's own object of a type, such as its {@code DataSource}, if there is
     * exactly one. The application closes it.
     */
    <T> Optional<T> find(Class<T> type);
  }
}
