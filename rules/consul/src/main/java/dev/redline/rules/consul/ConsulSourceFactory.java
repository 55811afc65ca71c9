package dev.redline.rules.consul;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import java.util.Set;

/** Creates the rule source {@code CONSUL} from {@code rl.consul.*}. */
public final class ConsulSourceFactory implements RuleSourceFactory {
  @Override
  public String name() {
    return "CONSUL";
  }

  @Override
  public Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.WATCH, ReloadStrategy.POLLING);
  }

  @Override
  public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
    ConsulSettings settings = ConsulSettings.read(properties);
    return context -> new ConsulConfigProvider(settings);
  }
}
