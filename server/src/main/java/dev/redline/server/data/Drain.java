package dev.redline.server.data;

import java.time.Duration;

/** Whether the service is about to stop: then every answer is the last one on its connection. */
final class Drain {
  private final Duration timeout;
  private volatile boolean begun;

  Drain(Duration timeout) {
    this.timeout = timeout;
  }

  void begin() {
    begun = true;
  }

  boolean hasBegun() {
    return begun;
  }

  /** Returns how long requests under way may take to finish. */
  Duration timeout() {
    return timeout;
  }
}
