package dev.redline.samples.redis;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** One instance of the application; it knows nothing of the others. */
@SpringBootApplication
public class RedisSampleApplication {
  /** Starts the sample: three instances, and a Redis unless one is configured. */
  public static void main(String[] arguments) {
    SampleInstances.start(arguments);
  }
}
