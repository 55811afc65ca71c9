package dev.redline.rules.redis;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.redis.RedisProperties;
import java.util.Set;

/** Creates the rule source {@code REDIS} from {@code rl.redis.*}. */
public final class RedisRuleSourceFactory implements RuleSourceFactory {
  @Override
  public String name() {
    return "REDIS";
  }

  @Override
  public Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.REDIS_PUBSUB, ReloadStrategy.POLLING);
  }

  @Override
  public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
    RedisProperties redis = RedisProperties.read(properties);
    return context -> new RedisRuleRepository(redis.connection(), redis.keyPrefix());
  }
}
