package dev.redline.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class FailedLoginLogTest {
  private static final class Lines extends Handler {
    private final List<String> all = new ArrayList<>();

    @Override
    public void publish(LogRecord line) {
      all.add(line.getLevel() + " " + line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void logsFailedLoginsAtBoundedRate() {
    Logger logger = Logger.getLogger(FailedLoginLog.class.getName());
    Lines lines = new Lines();
    FailedLoginLog log = new FailedLoginLog();
    logger.addHandler(lines);
    logger.setUseParentHandlers(false);
    long begin = System.nanoTime();
    try {
      for (int i = 0; i < 10_000; i++) {
        log.record("192.0.2.1");
      }
    } finally {
      logger.removeHandler(lines);
      logger.setUseParentHandlers(true);
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);

    assertThat(lines.all)
        .hasSizeBetween(5, Math.toIntExact(5 * (seconds + 2)))
        .contains("WARNING failed login with an unknown token from 192.0.2.1");
  }
}
