package dev.redline.assembly;

import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.settings.Settings;
import dev.redline.core.spi.PluginFactory.PluginContext;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.core.store.MicrosClock;
import java.util.Optional;

/** What plugins can use: the settings, and the objects of the host. */
record AssemblyContext(
    AssemblySettings settings, MicrosClock clock, RedlineAssembly.HostObjects hostObjects)
    implements PluginContext {
  @Override
  public long maxKeys() {
    return settings.storage().maxKeys();
  }

  @Override
  public Optional<ReloadStrategy> reloadStrategy() {
    return settings.reload().strategy();
  }

  @Override
  public <T> Optional<T> find(Class<T> type) {
    if (type == Settings.class) {
      return Optional.of(type.cast(settings.core()));
    }
    return type == ServerAddress.class
        ? settings
            .remote()
            .map(server -> type.cast(new ServerAddress(server.uri(), server.token())))
        : hostObjects.find(type);
  }
}
