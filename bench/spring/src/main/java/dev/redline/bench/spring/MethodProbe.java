package dev.redline.bench.spring;

import com.sun.management.ThreadMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Measures calls of one contender's bean on one thread, in a JVM of its own. */
final class MethodProbe {
  static final String COMMAND = "method-probe";

  private static final int BATCH = 1000;
  private static final String[] USERS = new String[64];

  static {
    for (int i = 0; i < USERS.length; i++) {
      USERS[i] = "user-" + i;
    }
  }

  private MethodProbe() {}

  /** The application; the contender's bean is the only one that is limited. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableCaching
  static class ProbedApplication {}

  /**
   * What a call costs.
   *
   * @param nanos elapsed time
   * @param bytes heap that is allocated
   * @param processorNanos processor time
   */
  record Cost(double nanos, double bytes, double processorNanos) {
    static Cost parse(String line) {
      String[] words = line.split(" ", -1);
      return new Cost(
          Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
    }
  }

  static ConfigurableApplicationContext start(MethodContender contender) {
    return new SpringApplicationBuilder(ProbedApplication.class, contender.bean())
        .web(WebApplicationType.NONE)
        .run(
            "--spring.main.banner-mode=off",
            "--logging.level.root=ERROR",
            "--resilience4j.ratelimiter.instances.bench.limit-for-period=100000000",
            "--resilience4j.ratelimiter.instances.bench.limit-refresh-period=1s",
            "--resilience4j.ratelimiter.instances.bench.timeout-duration=0",
            "--spring.cache.jcache.provider="
                + "com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider",
            "--spring.cache.cache-names=buckets",
            "--bucket4j.enabled=" + contender.name().startsWith("BUCKET4J"),
            "--bucket4j.cache-to-use=jcache",
            "--bucket4j.methods[0].name=bench",
            "--bucket4j.methods[0].cache-name=buckets",
            "--bucket4j.methods[0].rate-limit.bandwidths[0].capacity=100000000",
            "--bucket4j.methods[0].rate-limit.bandwidths[0].time=1",
            "--bucket4j.methods[0].rate-limit.bandwidths[0].unit=seconds");
  }

  /** Prints nanoseconds, bytes and processor time of a call; bench quarkus reads it too. */
  static void run(MethodContender contender, long millis, PrintStream out) {
    try (ConfigurableApplicationContext context = start(contender)) {
      NoOp bean = context.getBean(NoOp.class);
      measure(bean, 2 * millis);
      Cost cost = measure(bean, millis);
      out.println(cost.nanos + " " + cost.bytes + " " + cost.processorNanos);
    }
  }

  private static Cost measure(NoOp bean, long millis) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes = threads.getCurrentThreadAllocatedBytes();
    long processor = threads.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    long calls = 0;
    long sum = 0;
    long now = start;
    while (now < end) {
      for (int i = 0; i < BATCH; i++) {
        sum += bean.call(USERS[i & 63]);
      }
      calls += BATCH;
      now = System.nanoTime();
    }
    processor = threads.getCurrentThreadCpuTime() - processor;
    bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
    if (sum < calls) {
      throw new IllegalStateException("the calls did nothing");
    }
    return new Cost(
        (double) (now - start) / calls, (double) bytes / calls, (double) processor / calls);
  }
}
