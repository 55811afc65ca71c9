package dev.redline.bench.quarkus;

import com.sun.management.ThreadMXBean;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Measures calls of one bean on one thread, in a JVM of its own, and prints what the probe of bench
 * spring prints: elapsed nanoseconds, bytes and processor nanoseconds of a call.
 */
@Singleton
public class BeanProbe implements QuarkusApplication {
  static final String COMMAND = "method-probe";

  private static final int BATCH = 1000;
  private static final String[] USERS = new String[64];

  static {
    for (int i = 0; i < USERS.length; i++) {
      USERS[i] = "user-" + i;
    }
  }

  private final Instance<NoOpBean.Unlimited> unlimited;
  private final Instance<NoOpBean.OfAll> ofAll;
  private final Instance<NoOpBean.OfEach> ofEach;

  @Inject
  BeanProbe(
      Instance<NoOpBean.Unlimited> unlimited,
      Instance<NoOpBean.OfAll> ofAll,
      Instance<NoOpBean.OfEach> ofEach) {
    this.unlimited = unlimited;
    this.ofAll = ofAll;
    this.ofEach = ofEach;
  }

  /** Measures the bean that the second word names, for the milliseconds of the third. */
  @Override
  public int run(String... words) {
    NoOpBean bean =
        switch (MeasuredMethod.Limit.valueOf(words[1])) {
          case UNLIMITED -> unlimited.get();
          case REDLINE -> ofAll.get();
          case REDLINE_KEYED -> ofEach.get();
        };
    long millis = Long.parseLong(words[2]);
    measure(bean, 2 * millis);
    System.out.println(measure(bean, millis));
    return 0;
  }

  private static String measure(NoOpBean bean, long millis) {
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
    return (double) (now - start) / calls
        + " "
        + (double) bytes / calls
        + " "
        + (double) processor / calls;
  }
}
