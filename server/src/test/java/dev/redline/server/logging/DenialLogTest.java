package dev.redline.server.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.redline.core.KeyedLimiter;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.RequestContext;
import dev.redline.core.spi.MetricsExporter;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class DenialLogTest {
  private static final Logger EVENTS = (Logger) LoggerFactory.getLogger("dev.redline.events");

  private final CountDownLatch written = new CountDownLatch(1);
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final DenialLog log = DenialLog.start(ApiKeyDigest.ofProcess(), MetricsExporter.NONE);

  /** A log that does not write before the test says so. */
  private final AppenderBase<ILoggingEvent> slow =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
          try {
            written.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        }
      };

  @BeforeEach
  void start() {
    slow.start();
    EVENTS.addAppender(slow);
  }

  @AfterEach
  void stop() {
    written.countDown();
    EVENTS.detachAppender(slow);
    log.close();
  }

  private static RateLimitResult denial() {
    try (KeyedLimiter limiter = KeyedLimiter.of("1/h")) {
      limiter.check("somebody");
      return limiter.check("somebody");
    }
  }

  private static LimitCheck check(String path) {
    return LimitCheck.ofRequest(RequestContext.builder().path(path).build());
  }

  @Test
  void keepsNoLargeCheckWhileTheLogIsSlow() {
    RateLimitResult denial = denial();
    log.decided(check("/first"), denial, null);
    await().until(() -> lines.size() == 1);
    LimitCheck large = check("/" + "x".repeat(1 << 20));
    WeakReference<LimitCheck> kept = new WeakReference<>(large);

    log.decided(large, denial, null);
    large = null;

    await()
        .until(
            () -> {
              System.gc();
              return kept.get() == null;
            });
    written.countDown();
    await().until(() -> lines.size() == 2);
    assertThat(lines.get(0)).contains("path=/first");
    assertThat(lines.get(1)).contains("path=/" + "x".repeat(255) + " ");
  }
}
