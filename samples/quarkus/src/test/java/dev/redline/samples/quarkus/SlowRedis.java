package dev.redline.samples.quarkus;

import java.util.HashMap;
import java.util.Map;

/** A Redis for tests that pause it: no call times out meanwhile, and there is one event loop. */
public class SlowRedis extends SampleRedis {
  @Override
  public Map<String, String> start() {
    Map<String, String> properties = new HashMap<>(super.start());
    properties.put("rl.redis.command-timeout", "60s");
    properties.put("quarkus.vertx.event-loops-pool-size", "1");
    properties.put("rl.rules[0].id", "echo");
    properties.put("rl.rules[0].path", "/threads/echo");
    properties.put("rl.rules[0].limit", "1000000/s");
    return properties;
  }
}
