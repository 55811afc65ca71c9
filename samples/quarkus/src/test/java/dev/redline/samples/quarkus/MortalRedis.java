package dev.redline.samples.quarkus;

import java.util.HashMap;
import java.util.Map;

/** A Redis for tests that kill it: calls fail soon. */
public class MortalRedis extends SampleRedis {
  @Override
  public Map<String, String> start() {
    Map<String, String> properties = new HashMap<>(super.start());
    properties.put("rl.redis.command-timeout", "200ms");
    return properties;
  }
}
