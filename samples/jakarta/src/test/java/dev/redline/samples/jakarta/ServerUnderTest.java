package dev.redline.samples.jakarta;

import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.net.URI;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Starts an application server before the tests of a class, and a Redis if they need one. */
final class ServerUnderTest implements BeforeAllCallback, AfterAllCallback {
  private final Function<Map<String, String>, ApplicationServer> starter;
  private final boolean onRedis;
  private RedisServer redis;
  private ApplicationServer server;

  private ServerUnderTest(
      Function<Map<String, String>, ApplicationServer> starter, boolean onRedis) {
    this.starter = starter;
    this.onRedis = onRedis;
  }

  static ServerUnderTest onLocalStore(Function<Map<String, String>, ApplicationServer> starter) {
    return new ServerUnderTest(starter, false);
  }

  static ServerUnderTest onRedis(Function<Map<String, String>, ApplicationServer> starter) {
    return new ServerUnderTest(starter, true);
  }

  URI uri() {
    return server.uri();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (!onRedis) {
      server = starter.apply(Map.of());
      return;
    }
    redis = RedisServer.start(RedisBinary.any());
    // A slow machine must not make the fallback decide.
    server =
        starter.apply(
            Map.of(
                "rl.storage.type", "REDIS",
                "rl.redis.uri", redis.uri(),
                "rl.redis.command-timeout", "5s"));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (server != null) {
      server.close();
    }
    if (redis != null) {
      redis.close();
    }
  }
}
