package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;

/**
 * Equal acquisitions of one call, which the script decides as one: it replies how many of them are
 * allowed. A run of more than one has one key.
 */
final class Run {
  private static final int MAX_LENGTH = 255;

  private final Acquisition acquisition;
  private final boolean mergeable;
  private final int[] positions;
  private int length;

  /** Creates a run of so many equal acquisitions; only a run of one can become longer. */
  Run(Acquisition acquisition, int length) {
    this.acquisition = acquisition;
    this.length = length;
    this.mergeable = length == 1 && mergeable(acquisition);
    this.positions = new int[2 * acquisition.size()];
  }

  /** Returns whether equal ones are decided as one: a single key that may deny, and no dry run. */
  static boolean mergeable(Acquisition acquisition) {
    return acquisition.size() == 1 && !acquisition.dryRun() && !acquisition.shadow(0);
  }

  /** Lengthens the run by an acquisition of the same key; returns false if it is not equal. */
  boolean merge(Acquisition other) {
    if (!mergeable
        || length == MAX_LENGTH
        || acquisition.cost(0) != other.cost(0)
        || !acquisition.key(0).limits().equals(other.key(0).limits())) {
      return false;
    }
    length++;
    return true;
  }

  /** Sets where key {@code i} and its parameters are in the arguments of the call, from 1. */
  void place(int i, int key, int parameters) {
    positions[2 * i] = key;
    positions[2 * i + 1] = parameters;
  }

  int keyPosition(int i) {
    return positions[2 * i];
  }

  int parametersPosition(int i) {
    return positions[2 * i + 1];
  }

  /** Returns one of the equal acquisitions. */
  Acquisition acquisition() {
    return acquisition;
  }

  int length() {
    return length;
  }

  /** Returns how many numbers of the reply describe the state of its buckets. */
  int replyWords() {
    int words = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      for (int b = 0; b < limits.size(); b++) {
        words += limits.band(b).sentWords();
      }
    }
    return words;
  }
}
