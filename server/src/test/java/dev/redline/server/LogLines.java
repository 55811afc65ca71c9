package dev.redline.server;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Collects log lines until it is closed. */
public final class LogLines implements AutoCloseable {
  private final Logger logger;
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  /** Starts to collect; a service that is started later resets the log. */
  public LogLines() {
    this("dev.redline");
  }

  /** Starts to collect the lines of a logger and those below it. */
  public LogLines(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    lines.start();
    logger.addAppender(lines);
  }

  /** Returns the lines so far, each after its level. */
  public List<String> all() {
    return List.copyOf(lines.list).stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(lines);
  }
}
