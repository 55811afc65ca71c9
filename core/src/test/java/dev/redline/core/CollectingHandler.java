package dev.redline.core;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/** Collects what is logged. */
final class CollectingHandler extends Handler {
  private final List<String> messages;

  CollectingHandler(List<String> messages) {
    this.messages = messages;
  }

  @Override
  public synchronized void publish(LogRecord record) {
    messages.add(record.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
