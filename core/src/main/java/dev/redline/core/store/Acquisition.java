package dev.redline.core.store;

import dev.redline.core.limit.BucketLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * Keys and costs to take together: from all of them, or from none.
 *
 * <p>A key may be <em>shadow</em>: it never refuses, and is taken from only if the acquisition
 * passes and all its own bands do. A <em>dry run</em> decides and takes nothing. Immutable; no two
 * keys of one acquisition have the same owner, which is also what orders them.
 */
public final class Acquisition {
  private static final Take[] NO_MORE = {};

  private final RateLimitKey key;
  private final long cost;
  private final boolean shadow;
  private final boolean dryRun;
  private final Take[] more;

  /** One key is the rule, so it is kept without an array around it. */
  private Acquisition(Take first, Take[] more, boolean dryRun) {
    this.key = first.key;
    this.cost = first.cost;
    this.shadow = first.shadow;
    this.more = more;
    this.dryRun = dryRun;
  }

  private Acquisition(RateLimitKey key, long cost) {
    this.key = key;
    this.cost = cost;
    this.shadow = false;
    this.more = NO_MORE;
    this.dryRun = false;
  }

  /** Returns the acquisition of {@code cost}, at least 1, from one key. */
  public static Acquisition of(RateLimitKey key, long cost) {
    if (cost < 1) {
      throw new IllegalArgumentException("cost must be at least 1, was " + cost);
    }
    return new Acquisition(key, cost);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns how many keys there are. */
  public int size() {
    return 1 + more.length;
  }

  /** Returns key {@code i}. */
  public RateLimitKey key(int i) {
    return i == 0 ? key : more[i - 1].key;
  }

  /** Returns what is to be taken from each band of key {@code i}, at least 1. */
  public long cost(int i) {
    return i == 0 ? cost : more[i - 1].cost;
  }

  /** Returns whether key {@code i} never refuses. */
  public boolean shadow(int i) {
    return i == 0 ? shadow : more[i - 1].shadow;
  }

  /** Returns whether nothing is to be taken. */
  public boolean dryRun() {
    return dryRun;
  }

  /** Returns how many bands all keys have together. */
  public int bands() {
    int bands = key.limits().size();
    for (Take take : more) {
      bands += take.key.limits().size();
    }
    return bands;
  }

  private record Take(RateLimitKey key, long cost, boolean shadow) {}

  /** Builds an acquisition. */
  public static final class Builder {
    private final List<Take> takes = new ArrayList<>(4);
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
      for (Take other : takes) {
        BucketLimits limits = other.key.limits();
        if (limits.ownerKind() == key.limits().ownerKind()
            && limits.ownerId().equals(key.limits().ownerId())) {
          throw new IllegalArgumentException(limits.owner() + " is acquired twice");
        }
      }
      takes.add(new Take(key, cost, shadow));
      return this;
    }

    /** Sets whether to decide without taking. */
    public Builder dryRun(boolean value) {
      dryRun = value;
      return this;
    }

    /** Builds the acquisition. */
    public Acquisition build() {
      if (takes.isEmpty()) {
        throw new IllegalArgumentException("an acquisition needs at least one key");
      }
      return new Acquisition(takes.get(0), takes.subList(1, takes.size()).toArray(NO_MORE), dryRun);
    }
  }
}
