package dev.redline.stores.redis;

import dev.redline.core.store.Acquisition;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Replies of Redis from which no decision can be read: what the log and health say about them.
 * Redis replies, so its health by PING is good and the circuit breaker stays closed.
 */
final class BadReplies {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long MINUTE_NANOS = 60_000_000_000L;

  private final String address;
  private final LongSupplier nanoClock;
  private final AtomicLong nextLogNanos;
  private volatile @Nullable Last last;

  private record Last(String reason, long nanos) {}

  BadReplies(String address, LongSupplier nanoClock) {
    this.address = address;
    this.nanoClock = nanoClock;
    this.nextLogNanos = new AtomicLong(nanoClock.getAsLong());
  }

  /** Records that decisions were read from a reply. */
  void readable() {
    if (last != null) {
      last = null;
    }
  }

  /** Records a reply from which nothing can be read. */
  void malformed(Acquisition first, String why) {
    String reason = "Redis at " + address + ": malformed reply to a script call: " + why;
    last = new Last(reason, nanoClock.getAsLong());
    log(reason, first);
  }

  /** Records that the value of a bucket cannot be read; it concerns only its callers. */
  void malformedValue(Acquisition acquisition) {
    log("the value of a bucket in Redis at " + address + " is malformed", acquisition);
  }

  /** Returns what is wrong with the last reply; empty if it was good or is old. */
  Optional<String> reason() {
    Last found = last;
    return found == null || nanoClock.getAsLong() - found.nanos > MINUTE_NANOS
        ? Optional.empty()
        : Optional.of(found.reason);
  }

  /** Logs at most one line in a minute. Rules are named, identities never. */
  private void log(String what, Acquisition acquisition) {
    long now = nanoClock.getAsLong();
    long next = nextLogNanos.get();
    if (now - next < 0 || !nextLogNanos.compareAndSet(next, now + MINUTE_NANOS)) {
      return;
    }
    Set<String> owners = new TreeSet<>();
    for (int i = 0; i < acquisition.size(); i++) {
      owners.add(acquisition.key(i).limits().owner());
    }
    LOG.log(
        Level.WARNING,
        what + ", as for " + String.join(", ", owners) + "; the failure strategy decides");
  }
}
