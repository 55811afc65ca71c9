package dev.redline.quarkus.deployment;

import java.util.List;
import java.util.logging.LogRecord;

/** What the extension logs while an application is built. */
public final class BuildLog {
  private static final String EXTENSION = "dev.redline.quarkus.deployment.RedlineProcessor";

  private BuildLog() {}

  /** Returns whether a record is a warning of the extension. */
  public static boolean isWarning(LogRecord record) {
    return EXTENSION.equals(record.getLoggerName());
  }

  /** Returns the messages of records. */
  public static List<String> messages(List<LogRecord> records) {
    return records.stream()
        .map(record -> String.format(record.getMessage(), record.getParameters()))
        .toList();
  }
}
