package dev.redline.bench.local;

/**
 * The keys, in two equal copies: one to fill tables with, one for calls. In a service, too, the key
 * of a request is not the same object as the one in the table.
 */
final class Keys {
  private final String[] stored;
  private final String[] requested;

  Keys(int size) {
    this.stored = new String[size];
    this.requested = new String[size];
    for (int i = 0; i < size; i++) {
      stored[i] = name(i);
    }
    for (int i = 0; i < size; i++) {
      requested[i] = name(i);
    }
  }

  private static String name(int i) {
    return "user:" + (1_000_000_000L + i);
  }

  int size() {
    return stored.length;
  }

  /** Returns the copy to fill a table with. */
  String stored(int i) {
    return stored[i];
  }

  /** Returns the copy for a call. */
  String requested(int i) {
    return requested[i];
  }
}
