package dev.redline.core.spi;

import dev.redline.core.store.MicrosClock;
import java.util.Optional;

/** What a {@link PluginFactory} can use of the application that it creates for. */
public interface PluginContext {
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
