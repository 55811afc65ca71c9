package dev.redline.core.store;

import dev.redline.core.key.RateLimitKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Keys and costs to take together: from all of them, or from none.
 *
 * <p>A key may be <em>shadow</em>: it never refuses, and is taken from only if the acquisition
 * passes and all its own bands do. A <em>dry run</em> decides and takes nothing. Immutable; no two
 * keys of one acquisition have the same owner, which is also what orders them.
 */
public final class Acquisition {
  private static final BitSet NO_SHADOW = new BitSet(0);

  private final RateLimitKey[] keys;
  private final long[] costs;
  private final BitSet shadows;
  private final boolean dryRun;

  private Acquisition(RateLimitKey[] keys, long[] costs, BitSet shadows, boolean dryRun) {
    this.keys = keys;
    this.costs = costs;
    this.shadows = shadows;
    this.dryRun = dryRun;
  }

  /** Returns the acquisition of {@code cost} from one key. */
  public static Acquisition of(RateLimitKey key, long cost) {
    return new Acquisition(new RateLimitKey[] {key}, new long[] {cost}, NO_SHADOW, false);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns how many keys there are. */
  public int size() {
    return keys.length;
  }

  /** Returns key {@code i}. */
  public RateLimitKey key(int i) {
    return keys[i];
  }

  /** Returns what is to be taken from each band of key {@code i}, at least 1. */
  public long cost(int i) {
    return costs[i];
  }

  /** Returns whether key {@code i} never refuses. */
  public boolean shadow(int i) {
    return shadows.get(i);
  }

  /** Returns whether nothing is to be taken. */
  public boolean dryRun() {
    return dryRun;
  }

  /** Returns how many bands all keys have together. */
  public int bands() {
    int bands = 0;
    for (RateLimitKey key : keys) {
      bands += key.limits().size();
    }
    return bands;
  }

  /** Builds an acquisition. */
  public static final class Builder {
    private final List<RateLimitKey> keys = new ArrayList<>(4);
    private long[] costs = new long[4];
    private final BitSet shadows = new BitSet();
    private boolean dryRun;

    private Builder() {}

    /** Adds a key that must pass. */
    public Builder take(RateLimitKey key, long cost) {
      return add(key, cost, false);
    }

    /** Adds a key, in shadow or not. */
    public Builder add(RateLimitKey key, long cost, boolean shadow) {
      if (cost < 1) {
        throw new IllegalArgumentException("cost must be at least 1, was " + cost);
      }
      for (RateLimitKey other : keys) {
        if (other.limits().ownerKind() == key.limits().ownerKind()
            && other.limits().ownerId().equals(key.limits().ownerId())) {
          throw new IllegalArgumentException(key.limits().owner() + " is acquired twice");
        }
      }
      if (keys.size() == costs.length) {
        costs = Arrays.copyOf(costs, costs.length * 2);
      }
      costs[keys.size()] = cost;
      if (shadow) {
        shadows.set(keys.size());
      }
      keys.add(key);
      return this;
    }

    /** Sets whether to decide without taking. */
    public Builder dryRun(boolean value) {
      dryRun = value;
      return this;
    }

    /** Builds the acquisition. */
    public Acquisition build() {
      if (keys.isEmpty()) {
        throw new IllegalArgumentException("an acquisition needs at least one key");
      }
      return new Acquisition(keys.toArray(new RateLimitKey[0]), costs, shadows, dryRun);
    }
  }
}
