package dev.redline.rules.nacos;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import java.util.Optional;
import java.util.Set;

/** Creates the rule source {@code NACOS} from {@code rl.nacos.*}. */
public final class NacosSourceFactory implements RuleSourceFactory {
  @Override
  public String name() {
    return "NACOS";
  }

  @Override
  public Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.WATCH, ReloadStrategy.POLLING);
  }

  @Override
  public Optional<String> failPolicy() {
    return Optional.of("rl.nacos.fail-policy");
  }

  @Override
  public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
    NacosSettings settings = NacosSettings.read(properties);
    return context -> new NacosConfigProvider(settings);
  }
}
