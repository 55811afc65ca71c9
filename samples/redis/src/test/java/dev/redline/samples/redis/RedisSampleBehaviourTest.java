package dev.redline.samples.redis;

import dev.redline.behaviour.SampleBehaviour;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** Each client of the suite uses another instance; the sample starts its Redis. */
@Timeout(120)
class RedisSampleBehaviourTest extends SampleBehaviour {
  private static final AtomicInteger NEXT = new AtomicInteger();
  private static SampleInstances instances;

  @BeforeAll
  static void start() {
    // A slow machine must not make a node decide alone.
    instances = SampleInstances.start("--server.port=0", "--rl.redis.command-timeout=5s");
  }

  @AfterAll
  static void stop() {
    instances.close();
  }

  @Override
  protected URI baseUri() {
    int instance = NEXT.getAndIncrement() % instances.ports().size();
    return URI.create("http://127.0.0.1:" + instances.ports().get(instance));
  }
}
