package dev.redline.server.data;

/**
 * The in-flight limit of one event loop: how many requests may wait for their body or decision, and
 * how many bytes of their bodies may be buffered. Requests beyond it get 503, so that overload does
 * not exhaust the memory. Used by one thread.
 */
final class Admission {
  private final int maxRequests;
  private final long maxBytes;
  private int requests;
  private long bytes;

  Admission(int maxRequests, long maxBytes) {
    this.maxRequests = maxRequests;
    this.maxBytes = maxBytes;
  }

  /** Admits one more request; returns false if the limit is reached. */
  boolean enter() {
    if (requests >= maxRequests || bytes >= maxBytes) {
      return false;
    }
    requests++;
    return true;
  }

  /** Counts buffered bytes of an admitted request; returns false if they exceed the limit. */
  boolean buffer(int more) {
    bytes += more;
    return bytes <= maxBytes;
  }

  /** Returns whether the buffered bytes are within the limit. */
  boolean hasRoom() {
    return bytes <= maxBytes;
  }

  /** Ends an admitted request, with all the bytes that were buffered for it. */
  void leave(int buffered) {
    requests--;
    bytes -= buffered;
  }
}
