package dev.redline.core.store;

import dev.redline.core.internal.limit.BucketArithmetic;
import dev.redline.core.internal.store.AcquisitionDecider;
import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.internal.store.BucketAccess;
import dev.redline.core.limit.BucketLimits;
import java.util.Arrays;

/**
 * The buckets of one acquisition, and the decision on them: all a store needs that keeps states and
 * has them decided in Java. A store loads the state of every key, decides, and keeps what changed;
 * meanwhile no other thread or process may change these buckets, by a lock or a transaction.
 *
 * <pre>{@code
 * BucketStates states = new BucketStates(acquisition);
 * // for each key i that has a state: states.load(i, state);
 * Outcome outcome = states.decide(nowMicros);
 * // for each key i with states.isChanged(i): keep states.state(i)
 * }</pre>
 *
 * <p>A state is an array of {@link BucketLimits#stateWords} numbers; what they mean depends on the
 * limits. It is kept under the {@link RateLimitKey}, which names the limits as well. A bucket
 * without a state is full. Time is in microseconds since the epoch, by one clock for all nodes that
 * share the buckets. Reusable with {@link #reset}; then deciding allocates nothing. Not
 * thread-safe.
 */
public final class BucketStates {
  private static final int FEW_WORDS = 8;

  private final BucketAccess access = new Words();
  private Acquisition acquisition;
  private long[] words = new long[FEW_WORDS];
  private int[] starts = new int[1];
  private boolean[] changed = new boolean[1];

  /** Creates the states of an acquisition whose buckets are all full. */
  public BucketStates(Acquisition acquisition) {
    this.acquisition = acquisition;
    reset(acquisition);
  }

  /** Turns to another acquisition, whose buckets are all full until they are loaded. */
  public void reset(Acquisition next) {
    acquisition = next;
    int size = next.size();
    if (starts.length < size) {
      starts = new int[size];
      changed = new boolean[size];
    }
    Arrays.fill(changed, 0, size, false);
    int end = 0;
    for (int i = 0; i < size; i++) {
      starts[i] = end;
      end += next.key(i).limits().stateWords();
    }
    if (words.length < end) {
      words = new long[end];
    }
    for (int i = 0; i < size; i++) {
      arithmetic(i).fill(words, starts[i]);
    }
  }

  /**
   * Loads the state that is kept for key {@code i}.
   *
   * @throws StoreException of kind {@code BAD_STATE} if it cannot be a state of these limits
   */
  public void load(int i, long[] state) {
    BucketLimits limits = acquisition.key(i).limits();
    if (state.length != limits.stateWords()) {
      throw new StoreException(
          StoreException.Kind.BAD_STATE,
          limits.owner()
              + ": a kept state has "
              + state.length
              + " words, must have "
              + limits.stateWords());
    }
    if (!limits.arithmetic().isPossible(state, 0)) {
      throw new StoreException(
          StoreException.Kind.BAD_STATE,
          limits.owner() + ": a kept state has impossible numbers, " + Arrays.toString(state));
    }
    System.arraycopy(state, 0, words, starts[i], state.length);
  }

  /** Decides the acquisition at a moment. */
  public Outcome decide(long nowMicros) {
    Outcome outcome = new Outcome();
    decide(nowMicros, outcome);
    return outcome;
  }

  /** Decides the acquisition at a moment, and fills the outcome. */
  public void decide(long nowMicros, Outcome outcome) {
    AcquisitionDecider.decide(acquisition, access, nowMicros, outcome);
  }

  /**
   * Refunds what the acquisition took, where {@code outcome} is that of the decision, for states
   * that were loaded again. A token bucket gets back min(D, max(0, X + D − now)), where D is how
   * long the cost lasts and X when the bucket would have been full without it: what time has
   * refilled since is there already. A window gets back what it still counts. An outcome that was
   * denied, or of a dry run, took nothing.
   *
   * <p>Never refunds too much, if acquisitions of one bucket that overlap are refunded in the
   * reverse of their order, and if the bucket was not reset since.
   */
  public void refund(Outcome outcome, long nowMicros) {
    if (!outcome.allowed() || acquisition.dryRun()) {
      return;
    }
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      int i = at.key();
      if (outcome.passed(i)) {
        long takenAt = outcome.nowMicros(i);
        changed[i] |=
            at.bucket()
                .refund(
                    words, starts[i], nowMicros, outcome.views(), at.view(), takenAt, at.cost());
      }
    }
  }

  /** Returns whether the state of key {@code i} has to be written. */
  public boolean isChanged(int i) {
    return changed[i];
  }

  /** Returns a copy of the state of key {@code i}. */
  public long[] state(int i) {
    return Arrays.copyOfRange(words, starts[i], starts[i] + arithmetic(i).stateWords());
  }

  /**
   * Returns in how many microseconds the bucket of key {@code i} is full if nothing is acquired;
   * its state must be kept until then, and can be dropped after it.
   */
  public long microsToFull(int i, long nowMicros) {
    long[] views = new long[arithmetic(i).viewWords()];
    // A state that only a clock step explains is not full, even if its view is.
    long least = arithmetic(i).view(words, starts[i], nowMicros, views, 0) ? 1 : 0;
    return Math.max(least, arithmetic(i).lifetimeMicros(views, 0));
  }

  private BucketArithmetic arithmetic(int i) {
    return acquisition.key(i).limits().arithmetic();
  }

  private final class Words implements BucketAccess {
    @Override
    public boolean view(int key, BucketLimits limits, long nowMicros, long[] views, int v) {
      return limits.arithmetic().view(words, starts[key], nowMicros, views, v);
    }

    @Override
    public void take(int key, BucketLimits limits, long nowMicros, long[] views, int v, long cost) {
      changed[key] = true;
      limits.arithmetic().take(words, starts[key], nowMicros, views, v, cost);
    }
  }
}
