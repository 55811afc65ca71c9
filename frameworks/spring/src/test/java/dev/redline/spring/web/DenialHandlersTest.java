package dev.redline.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.redline.core.RateLimitExceededException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.web.bind.annotation.ExceptionHandler;

class DenialHandlersTest {
  private static final int CALLS = 1000;
  private static final long BYTES_PER_CALL = 200;

  /** A controller without a handler of denials. */
  static class PlainController {
    @ExceptionHandler(Exception.class)
    void handle(Exception failure) {}
  }

  /** A controller with one. */
  static class HandlingController {
    @ExceptionHandler
    void handle(RateLimitExceededException denial) {}
  }

  private final DenialHandlers handlers = new DenialHandlers(new StaticApplicationContext());

  @Test
  void existInControllersThatHandleTheirOwnType() {
    assertThat(handlers.existIn(HandlingController.class)).isTrue();
    assertThat(handlers.existIn(PlainController.class)).isFalse();
  }

  @Test
  void aControllerIsScannedOnce() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    handlers.existIn(PlainController.class);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < CALLS; i++) {
      handlers.existIn(PlainController.class);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before)
        .isLessThan(CALLS * BYTES_PER_CALL);
  }
}
