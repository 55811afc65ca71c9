package dev.redline.samples.jakarta;

import dev.redline.behaviour.SampleBehaviour;
import dev.redline.samples.jakarta.server.JakartaSampleServer;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

class JakartaSampleOnRedisTest extends SampleBehaviour {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static JakartaSampleServer server;

  @BeforeAll
  static void start() throws IOException {
    System.setProperty("rl.storage.type", "REDIS");
    System.setProperty("rl.redis.uri", REDIS.get().uri());
    // A slow machine must not make the fallback decide.
    System.setProperty("rl.redis.command-timeout", "5s");
    server = JakartaSampleServer.start(0);
  }

  @AfterAll
  static void stop() {
    server.close();
    System.clearProperty("rl.storage.type");
    System.clearProperty("rl.redis.uri");
    System.clearProperty("rl.redis.command-timeout");
  }

  @Override
  protected URI baseUri() {
    return URI.create("http://127.0.0.1:" + server.port());
  }
}
