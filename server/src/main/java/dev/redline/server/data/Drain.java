package dev.redline.server.data;

import java.time.Duration;

/**
 * Whether the service is shutting down. Then every response is the last one on its connection.
 * Thread-safe.
 */
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

  /** Returns how long requests in flight may take to finish. */
  Duration timeout() {
    return timeout;
  }
}
