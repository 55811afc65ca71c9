package dev.redline.server.data;

/**
 * How much one event loop takes on at once: requests that wait for their body or their decision,
 * and bytes of bodies kept for them. Beyond that the service is overloaded and says so, instead of
 * running out of memory. Used by one thread.
 */
final class Admission {
  private final int mostRequests;
  private final long mostBytes;
  private int requests;
  private long bytes;

  Admission(int mostRequests, long mostBytes) {
    this.mostRequests = mostRequests;
    this.mostBytes = mostBytes;
  }

  /** Returns whether there is room for one more request, and takes it. */
  boolean enter() {
    if (requests >= mostRequests || bytes >= mostBytes) {
      return false;
    }
    requests++;
    return true;
  }

  /** Keeps bytes of a request that entered; returns whether there is room for them. */
  boolean keep(int more) {
    bytes += more;
    return bytes <= mostBytes;
  }

  /** Ends a request that entered, giving back what was kept for it. */
  void leave(int kept) {
    requests--;
    bytes -= kept;
  }
}
