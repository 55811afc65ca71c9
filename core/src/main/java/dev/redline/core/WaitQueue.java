package dev.redline.core;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this node that wait for one bucket, in order of arrival. Only the first one
 * attempts to acquire; a forecast of the bucket gives the time of its attempt and the waits of the
 * others.
 *
 * <p>Nothing is reserved: callers that do not wait, and other nodes, may acquire the tokens that
 * the first one waits for. Its next attempt then shows a later time. The lock is held for
 * computing, never for I/O.
 */
final class WaitQueue {
  /** What became of a caller that wants to join. */
  enum Joining {
    /** It waits in line. */
    WAITING,
    /** Its turn would come too late. */
    TOO_LATE,
    /** Too many callers wait already. */
    NO_PERMIT,
    /** The line has no forecast yet; the caller has to attempt. */
    UNKNOWN,
    /** The line was given up; there may be another one. */
    GONE
  }

  /** How soon the first one tries again at least, should a store deny what it says to admit. */
  private static final long MIN_RETRY_NANOS = 1_000_000;

  private final RateLimitKey key;
  private final WaitingAcquirer waits;
  private final WaitTimer timer;
  private final Set<Waiter> line = new LinkedHashSet<>();
  private @Nullable BucketForecast seen;
  private long seenAfterResets;
  private @Nullable BucketForecast afterAll;
  private @Nullable Runnable nextAttempt;
  private @Nullable Waiter attempting;
  private boolean gone;

  WaitQueue(RateLimitKey key, WaitingAcquirer waits, WaitTimer timer) {
    this.key = key;
    this.waits = waits;
    this.timer = timer;
  }

  /** Returns what the caller acquires from this bucket. */
  private long cost(Waiter waiter) {
    return waiter.acquisition().cost(keyOf(waiter));
  }

  private int keyOf(Waiter waiter) {
    Acquisition acquisition = waiter.acquisition();
    int i = 0;
    while (!acquisition.key(i).equals(key)) {
      i++;
    }
    return i;
  }

  /**
   * Adds a caller to the end of the line if its turn comes in time.
   *
   * @param denied the attempt that was denied by this bucket, or null if there was none yet
   */
  synchronized Joining join(Waiter waiter, @Nullable Attempt denied) {
    if (gone) {
      return Joining.GONE;
    }
    long now = timer.nanoTime();
    if (line.isEmpty()) {
      if (denied == null) {
        return Joining.UNKNOWN;
      }
      show(waiter, denied, now);
    }
    BucketForecast turn = forecastAfterAll(now);
    turn.moveTo(now);
    turn.moveToAdmission(cost(waiter));
    if (!waiter.isInTime(now, turn.nanosFrom(now))) {
      giveUpIfEmpty();
      return Joining.TOO_LATE;
    }
    if (!waiter.permitted(waits)) {
      giveUpIfEmpty();
      return Joining.NO_PERMIT;
    }
    line.add(waiter);
    waiter.standIn(this);
    turn.take(cost(waiter));
    afterAll = turn;
    if (line.size() == 1) {
      scheduleFirst(now);
    }
    if (waiter.ended()) {
      // What ended it may have looked for a place and a permit before it had them.
      leave(waiter);
      waiter.releasePermit();
    }
    return Joining.WAITING;
  }

  /** Keeps what an attempt showed of the bucket. */
  private void show(Waiter waiter, Attempt attempt, long now) {
    Outcome outcome = Objects.requireNonNull(attempt.outcome());
    int i = keyOf(waiter);
    if (outcome.seen(i)) {
      seen = BucketForecast.of(attempt.acquired(), i, outcome, now);
      seenAfterResets = waiter.resetsBeforeAttempt();
      afterAll = null;
    }
  }

  private BucketForecast lastSeen() {
    return Objects.requireNonNull(seen, "a line begins with a denial");
  }

  /** Returns a copy of the bucket as it will be when everybody in line has taken. */
  private BucketForecast forecastAfterAll(long now) {
    if (afterAll == null) {
      afterAll = forecastAhead(null, now);
    }
    return afterAll.copy();
  }

  /** Returns a copy of the bucket as it will be when everybody ahead of a caller has taken. */
  private BucketForecast forecastAhead(@Nullable Waiter until, long now) {
    BucketForecast forecast = lastSeen().copy();
    forecast.moveTo(now);
    for (Waiter waiter : line) {
      if (waiter == until) {
        break;
      }
      forecast.moveToAdmission(cost(waiter));
      forecast.take(cost(waiter));
    }
    return forecast;
  }

  /** Returns whether buckets were reset since the attempt began that showed this one. */
  private boolean isBeforeReset() {
    return seenAfterResets != waits.resets();
  }

  private void scheduleFirst(long now) {
    if (isBeforeReset()) {
      scheduleAttempt(0);
      return;
    }
    BucketForecast forecast = lastSeen().copy();
    forecast.moveTo(now);
    forecast.moveToAdmission(cost(line.iterator().next()));
    scheduleAttempt(forecast.nanosFrom(now));
  }

  private void scheduleAttempt(long nanos) {
    cancelAttempt();
    nextAttempt = timer.schedule(this::attempt, nanos);
  }

  private void cancelAttempt() {
    if (nextAttempt != null) {
      nextAttempt.run();
      nextAttempt = null;
    }
  }

  private void giveUpIfEmpty() {
    if (line.isEmpty()) {
      gone = true;
      cancelAttempt();
      waits.remove(key, this);
    }
  }

  private void attempt() {
    Waiter first;
    synchronized (this) {
      nextAttempt = null;
      if (line.isEmpty()) {
        return;
      }
      first = line.iterator().next();
      if (attempting == first) {
        // Two attempts of one caller could both succeed.
        return;
      }
      attempting = first;
    }
    waits.attempt(first, attempt -> tried(first, attempt));
  }

  private void tried(Waiter first, Attempt attempt) {
    synchronized (this) {
      attempting = attempting == first ? null : attempting;
    }
    if (!first.waits(attempt)) {
      synchronized (this) {
        if (attempt.outcome() != null) {
          show(first, attempt, timer.nanoTime());
        }
      }
      first.end(() -> attempt.finish(first.evaluation()));
      return;
    }
    if (WaitingAcquirer.keyToWaitFor(attempt) != keyOf(first)) {
      leave(first);
      waits.join(first, attempt);
      return;
    }
    boolean inTime;
    synchronized (this) {
      if (!line.contains(first)) {
        return;
      }
      long now = timer.nanoTime();
      show(first, attempt, now);
      BucketForecast turn = lastSeen().copy();
      turn.moveToAdmission(cost(first));
      long wait = Math.max(MIN_RETRY_NANOS, turn.nanosFrom(now));
      inTime = first.isInTime(now, wait);
      if (inTime) {
        scheduleAttempt(isBeforeReset() ? 0 : wait);
      }
    }
    if (!inTime) {
      GivingUp denial = denialOf(first, attempt);
      first.end(() -> denial.result(Reason.WAIT_TIMEOUT));
    }
  }

  /** Removes a caller from the line; the next one becomes the first. */
  synchronized void leave(Waiter waiter) {
    boolean first = !line.isEmpty() && line.iterator().next() == waiter;
    if (!line.remove(waiter)) {
      return;
    }
    waiter.standIn(null);
    afterAll = null;
    giveUpIfEmpty();
    if (first && !gone) {
      scheduleFirst(timer.nanoTime());
    }
  }

  /** Attempts at once: the bucket may have been reset. */
  synchronized void recheck() {
    if (!line.isEmpty()) {
      scheduleAttempt(0);
    }
  }

  /**
   * Returns the denial of a caller that gives up.
   *
   * @param denied its own last attempt, or null if the queue has to supply the state of the bucket
   */
  synchronized GivingUp denialOf(Waiter waiter, @Nullable Attempt denied) {
    long now = timer.nanoTime();
    // Who never joined is denied as often as callers come, so that must not cost the whole line.
    BucketForecast turn =
        line.contains(waiter) ? forecastAhead(waiter, now) : forecastAfterAll(now);
    turn.moveTo(now);
    turn.moveToAdmission(cost(waiter));
    long turnMicros = Math.max(1, turn.nanosFrom(now) / 1000);
    if (denied != null && denied.outcome() != null) {
      return new GivingUp(waiter.evaluation(), denied.acquired(), denied.outcome(), turnMicros);
    }
    BucketForecast bucket = lastSeen().copy();
    bucket.moveTo(now);
    Acquisition acquired = waiter.acquisition();
    return new GivingUp(
        waiter.evaluation(), acquired, bucket.asDenial(acquired, keyOf(waiter)), turnMicros);
  }

  /** Why a caller does not wait on; becomes a result once. */
  record GivingUp(Evaluation evaluation, Acquisition acquired, Outcome outcome, long turnMicros) {
    RateLimitResult result(Reason reason) {
      return DecisionFinisher.finishWaiting(evaluation, acquired, outcome, reason, turnMicros);
    }
  }

  /** Returns the callers in line. */
  synchronized List<Waiter> waiting() {
    return List.copyOf(line);
  }
}
