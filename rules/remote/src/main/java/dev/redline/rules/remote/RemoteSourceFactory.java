package dev.redline.rules.remote;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.ReloadStrategy;
import dev.redline.core.spi.RuleSourceFactory;
import java.util.Optional;
import java.util.Set;

/** Creates the rule source {@code REMOTE_API} from {@code rl.config.remote.*}. */
public final class RemoteSourceFactory implements RuleSourceFactory {
  @Override
  public String name() {
    return "REMOTE_API";
  }

  @Override
  public Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.WATCH, ReloadStrategy.POLLING);
  }

  @Override
  public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
    Optional<RemoteSourceSettings> settings = RemoteSourceSettings.read(properties, chosen);
    return context ->
        new RemoteConfigProvider(
            settings.orElseThrow(
                () -> new IllegalArgumentException("set " + RemoteSourceSettings.URI_NAME)));
  }
}
