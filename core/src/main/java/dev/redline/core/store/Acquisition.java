package dev.redline.core.store;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keys and their costs, which are acquired together: from all keys, or from none.
 *
 * <p>A key may be <em>shadow</em>: it never denies, and its cost is taken only if the acquisition
 * is allowed and all bands of the key allow it. A <em>dry run</em> decides and takes nothing.
 * Immutable; no two keys of one acquisition are equal. Keys may have the same owner, such as a plan
 * that is acquired for a user and for a tenant: a store that locks buckets one by one orders them
 * by the whole key.
 */
public final class Acquisition {
  private static final Take[] NO_MORE = {};

  private final RateLimitKey key;
  private final long cost;
  private final boolean shadow;
  private final boolean dryRun;
  private final Take[] more;

  /** Most acquisitions have one key, so the first one needs no array. */
  private Acquisition(RateLimitKey key, long cost, boolean shadow, Take[] more, boolean dryRun) {
    this.key = key;
    this.cost = cost;
    this.shadow = shadow;
    this.more = more;
    this.dryRun = dryRun;
  }

  /** Returns the acquisition of {@code cost}, at least 1, from one key. */
  public static Acquisition of(RateLimitKey key, long cost) {
    return of(key, cost, false, false);
  }

  /** Returns the acquisition of {@code cost}, at least 1, from one key, in shadow or not. */
  public static Acquisition of(RateLimitKey key, long cost, boolean shadow, boolean dryRun) {
    return new Acquisition(key, checked(cost), shadow, NO_MORE, dryRun);
  }

  private static long checked(long cost) {
    if (cost < 1) {
      throw new IllegalArgumentException("cost must be at least 1, was " + cost);
    }
    return cost;
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with the keys of this acquisition. */
  public Builder toBuilder() {
    Builder builder = builder().add(key, cost, shadow).dryRun(dryRun);
    for (Take take : more) {
      builder.add(take.key, take.cost, take.shadow);
    }
    return builder;
  }

  /** Returns this acquisition with another cost of key {@code i}, in shadow or not. */
  public Acquisition with(int i, long otherCost, boolean inShadow) {
    if (i == 0) {
      return new Acquisition(key, checked(otherCost), inShadow, more, dryRun);
    }
    Take[] changed = more.clone();
    changed[i - 1] = new Take(more[i - 1].key, checked(otherCost), inShadow);
    return new Acquisition(key, cost, shadow, changed, dryRun);
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

  /** Returns whether key {@code i} never denies. */
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

  /** Builds an acquisition; adding a key costs nearly the same, however many there are. */
  public static final class Builder {
    /** Up to this many keys, a linear search is quicker than a set. */
    private static final int FEW = 8;

    private Take[] takes = new Take[2];
    private int size;
    private @Nullable Set<RateLimitKey> keys;
    private boolean dryRun;

    private Builder() {}

    /** Adds a key that must allow its cost. */
    public Builder take(RateLimitKey key, long cost) {
      return add(key, cost, false);
    }

    /** Adds a key, in shadow or not. */
    public Builder add(RateLimitKey key, long cost, boolean shadow) {
      Take take = new Take(key, checked(cost), shadow);
      if (isAcquired(key)) {
        throw new IllegalArgumentException(
            key.limits().owner() + " is acquired twice for one identity");
      }
      if (size == takes.length) {
        takes = Arrays.copyOf(takes, 2 * size);
      }
      takes[size++] = take;
      if (keys != null) {
        keys.add(key);
      }
      return this;
    }

    private boolean isAcquired(RateLimitKey key) {
      if (keys == null && size == FEW) {
        // Ordered, so that identities chosen to collide in a hash table cannot slow it down.
        keys = new TreeSet<>();
        for (Take take : takes) {
          keys.add(take.key);
        }
      }
      if (keys != null) {
        return keys.contains(key);
      }
      for (int i = 0; i < size; i++) {
        if (takes[i].key.equals(key)) {
          return true;
        }
      }
      return false;
    }

    /** Sets whether to decide without taking. */
    public Builder dryRun(boolean value) {
      dryRun = value;
      return this;
    }

    /** Builds the acquisition. */
    public Acquisition build() {
      if (size == 0) {
        throw new IllegalArgumentException("an acquisition needs at least one key");
      }
      Take first = takes[0];
      Take[] more = size == 1 ? NO_MORE : Arrays.copyOfRange(takes, 1, size);
      return new Acquisition(first.key, first.cost, first.shadow, more, dryRun);
    }
  }
}
