package dev.redline.core.store;

import dev.redline.core.limit.BucketLimits;

/**
 * The name of one bucket: whose limits it obeys, and who is counted.
 *
 * <p>Two keys are equal if owner, fingerprint of the limits and identity are; identities never run
 * into each other because they are a component of their own. Other limits are another bucket,
 * unless they carry over. Keys are ordered, so that identities chosen to collide in a hash table
 * cannot slow it down.
 */
public final class RateLimitKey implements Comparable<RateLimitKey> {
  private final BucketLimits limits;
  private final String identity;
  private final int hash;

  /** Creates the key of the caller {@code identity} under {@code limits}. */
  public RateLimitKey(BucketLimits limits, String identity) {
    this.limits = limits;
    this.identity = identity;
    this.hash = limits.hashCode() * 31 + identity.hashCode();
  }

  /** Returns the limits the bucket obeys. */
  public BucketLimits limits() {
    return limits;
  }

  /** Returns who is counted. */
  public String identity() {
    return identity;
  }

  @Override
  public boolean equals(Object o) {
    return o == this
        || (o instanceof RateLimitKey other
            && hash == other.hash
            && identity.equals(other.identity)
            && limits.hasBucketsOf(other.limits));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public int compareTo(RateLimitKey other) {
    int byIdentity = identity.compareTo(other.identity);
    return byIdentity != 0 ? byIdentity : limits.compareBucketsTo(other.limits);
  }

  /** Returns owner and limits, without the identity: identities stay out of logs. */
  @Override
  public String toString() {
    return "RateLimitKey[" + limits.owner() + "]";
  }
}
