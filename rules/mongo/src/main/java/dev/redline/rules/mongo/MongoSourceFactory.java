package dev.redline.rules.mongo;

import com.mongodb.client.MongoClient;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PluginFactory.PluginContext;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.redis.RedisProperties;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Creates the rule source {@code MONGO} from {@code rl.mongo.*}. Without a URI it uses the {@code
 * MongoClient} of the application. With {@code rl.reload.strategy=REDIS_PUBSUB}, changes are
 * noticed by messages in the Redis of {@code rl.redis.*}.
 */
public final class MongoSourceFactory implements RuleSourceFactory {
  private static final String REDIS_CLIENT = "io.lettuce.core.RedisClient";
  private static final String REDIS_MODULE = "dev.redline.redis.RedisProperties";

  /** Creates the factory; for {@link java.util.ServiceLoader}. */
  public MongoSourceFactory() {}

  @Override
  public String name() {
    return "MONGO";
  }

  @Override
  public Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.WATCH, ReloadStrategy.POLLING, ReloadStrategy.REDIS_PUBSUB);
  }

  @Override
  public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
    MongoSettings settings = MongoSettings.read(properties);
    Optional<Supplier<ChangeSignal>> redis =
        isRedisPresent() ? Optional.of(Redis.read(properties, settings)) : Optional.empty();
    return context -> create(settings, context, redis);
  }

  private static MongoRuleRepository create(
      MongoSettings settings, PluginContext context, Optional<Supplier<ChangeSignal>> redis) {
    Optional<MongoClient> client =
        settings.uri().isPresent() ? Optional.empty() : context.find(MongoClient.class);
    if (settings.uri().isEmpty() && client.isEmpty()) {
      throw new IllegalArgumentException(
          MongoSettings.URI
              + " is missing: rl.config.source=MONGO needs a URI such as"
              + " mongodb://localhost:27017, or one MongoClient of the application");
    }
    boolean published = context.reloadStrategy().equals(Optional.of(ReloadStrategy.REDIS_PUBSUB));
    if (published && redis.isEmpty()) {
      throw new IllegalArgumentException(
          "rl.reload.strategy=REDIS_PUBSUB needs the artifact redline-redis");
    }
    return new MongoRuleRepository(
        settings,
        new MongoAccess(settings, client),
        published ? redis.map(Supplier::get) : Optional.empty());
  }

  private static boolean isRedisPresent() {
    try {
      ClassLoader loader = MongoSourceFactory.class.getClassLoader();
      Class.forName(REDIS_CLIENT, false, loader);
      Class.forName(REDIS_MODULE, false, loader);
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Apart, since its classes may be missing. */
  private static final class Redis {
    static Supplier<ChangeSignal> read(PropertyReader properties, MongoSettings settings) {
      RedisProperties redis = RedisProperties.read(properties);
      String source = new MongoAccess(settings, Optional.empty()).name();
      return () -> new RedisSignal(redis, source);
    }
  }
}
