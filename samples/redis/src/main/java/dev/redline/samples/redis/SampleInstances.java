package dev.redline.samples.redis;

import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Three instances of the application on successive ports. They use the Redis of {@code
 * RL_REDIS_URI}; without it they start one, of the PATH or of a Maven artifact, which ends with
 * this process.
 */
final class SampleInstances implements AutoCloseable {
  private static final Logger LOG = System.getLogger(SampleInstances.class.getName());
  private static final int INSTANCES = 3;
  private static final int FIRST_PORT = 8088;

  private final List<ConfigurableApplicationContext> running = new ArrayList<>();
  private final @Nullable RedisServer redis;

  private SampleInstances(@Nullable RedisServer redis) {
    this.redis = redis;
  }

  /** Starts the instances; {@code --server.port} is the port of the first, 0 chooses free ones. */
  static SampleInstances start(String... arguments) {
    ConfigurableEnvironment given = new StandardEnvironment();
    given.getPropertySources().addFirst(new SimpleCommandLinePropertySource(arguments));
    int port = given.getProperty("server.port", Integer.class, FIRST_PORT);
    if (port < 0 || port > 65_535 - INSTANCES + 1) {
      throw new IllegalArgumentException(
          "--port needs a number up to " + (65_535 - INSTANCES + 1) + ", was " + port);
    }
    boolean configured = !given.getProperty("rl.redis.uri", "").isBlank();
    RedisServer redis = configured ? null : RedisServer.start(RedisBinary.any());
    SampleInstances instances = new SampleInstances(redis);
    try {
      for (int i = 0; i < INSTANCES; i++) {
        instances.run(port == 0 ? 0 : port + i, arguments);
      }
      LOG.log(
          Level.INFO,
          "instances on the ports {0}; Redis {1}",
          instances.ports(),
          redis == null ? "as configured" : redis.uri());
      return instances;
    } catch (RuntimeException e) {
      instances.close();
      throw e;
    }
  }

  private void run(int port, String[] arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.removeIf(argument -> argument.startsWith("--server.port="));
    all.add("--server.port=" + port);
    if (redis != null) {
      all.add("--rl.redis.uri=" + redis.uri());
    }
    running.add(
        new SpringApplicationBuilder(RedisSampleApplication.class)
            .bannerMode(Banner.Mode.OFF)
            .run(all.toArray(String[]::new)));
  }

  /** Returns the ports of the instances. */
  List<Integer> ports() {
    return running.stream()
        .map(each -> each.getEnvironment().getRequiredProperty("local.server.port", Integer.class))
        .toList();
  }

  @Override
  public void close() {
    running.forEach(ConfigurableApplicationContext::close);
    if (redis != null) {
      redis.close();
    }
  }
}
