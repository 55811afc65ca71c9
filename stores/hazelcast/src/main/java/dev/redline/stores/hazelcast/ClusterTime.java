package dev.redline.stores.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time by which a member decides: its own clock in microseconds, plus its distance to the
 * cluster's time if that is large.
 *
 * <p>Hazelcast measures the distance with each heartbeat, to the millisecond and with the delay of
 * the network in it. Small distances are therefore noise, and following them would make the time
 * jump.
 */
final class ClusterTime {
  private static final String CONTEXT_KEY = ClusterTime.class.getName();
  private static final long NOISE_MILLIS = 500;
  private static final long CHECK_NANOS = 1_000_000_000L;

  private final HazelcastInstance member;
  private volatile long offsetMillis;
  private volatile long checkedNanos = System.nanoTime() - CHECK_NANOS;

  private ClusterTime(HazelcastInstance member) {
    this.member = member;
  }

  static ClusterTime of(HazelcastInstance member) {
    Object known = member.getUserContext().get(CONTEXT_KEY);
    return known instanceof ClusterTime time
        ? time
        : (ClusterTime)
            member.getUserContext().computeIfAbsent(CONTEXT_KEY, absent -> new ClusterTime(member));
  }

  long nowMicros() {
    long nanos = System.nanoTime();
    if (nanos - checkedNanos >= CHECK_NANOS) {
      checkedNanos = nanos;
      long distance = member.getCluster().getClusterTime() - System.currentTimeMillis();
      if (Math.abs(distance - offsetMillis) > NOISE_MILLIS) {
        offsetMillis = distance;
      }
    }
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) + offsetMillis * 1000;
  }
}
