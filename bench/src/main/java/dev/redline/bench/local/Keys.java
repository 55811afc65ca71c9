package dev.redline.bench.local;

/**
 * The callers' names. The one that asks is equal to the one in the table, but not the same object:
 * so it is where a name comes out of a request.
 */
final class Keys {
  private final String[] kept;
  private final String[] asked;

  Keys(int size) {
    this.kept = new String[size];
    this.asked = new String[size];
    for (int i = 0; i < size; i++) {
      kept[i] = name(i);
    }
    for (int i = 0; i < size; i++) {
      asked[i] = name(i);
    }
  }

  private static String name(int i) {
    return "user:" + (1_000_000_000L + i);
  }

  int size() {
    return kept.length;
  }

  /** Returns the name that a table is filled with. */
  String kept(int i) {
    return kept[i];
  }

  /** Returns the name that a request carries. */
  String asked(int i) {
    return asked[i];
  }
}
