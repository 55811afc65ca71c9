package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the reply to a script call: the time, and for each run how many acquisitions were allowed
 * and the state of its buckets before.
 */
final class ReplyReader {
  private final List<Run> runs;
  private final long[] reply;
  private final int length;

  /**
   * Creates the reader.
   *
   * @param runs the runs of the call
   * @param reply the numbers of the reply; the array may be longer
   * @param length how many numbers the reply has
   */
  ReplyReader(List<Run> runs, long[] reply, int length) {
    this.runs = runs;
    this.reply = reply;
    this.length = length;
  }

  /** Validates the whole reply before any part of it is used. */
  void check() throws MalformedReplyException {
    int r = 1;
    int read = 0;
    while (read < runs.size() && r < length) {
      Run run = runs.get(read++);
      long passed = reply[r++];
      if (passed < -1 || passed > run.length()) {
        throw new MalformedReplyException("a count of " + passed + " of " + run.length());
      }
      r += passed < 0 ? 0 : run.replyWords();
    }
    if (read < runs.size() || r != length) {
      throw new MalformedReplyException(
          "a reply of " + length + " numbers to " + runs.size() + " runs of acquisitions");
    }
  }

  /** Reads all runs; call {@link #check} before. */
  DecidedRun[] read() {
    DecidedRun[] decided = new DecidedRun[runs.size()];
    int r = 1;
    for (int i = 0; i < decided.length; i++) {
      Run run = runs.get(i);
      long passed = reply[r++];
      if (passed < 0) {
        decided[i] = new DecidedRun(run, reply[0], new long[0], -1);
      } else {
        long[] views = new long[run.acquisition().bands() * BandArithmetic.VIEW_WORDS];
        r = readViews(run.acquisition(), r, views);
        decided[i] = new DecidedRun(run, reply[0], views, passed);
      }
    }
    return decided;
  }

  private int readViews(Acquisition acquisition, int from, long[] views) {
    int r = from;
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        int words = limits.band(b).sentWords();
        System.arraycopy(reply, r, views, v, words);
        limits.band(b).complete(views, v, reply[0]);
        r += words;
      }
    }
    return r;
  }

  /** A decided run, which gives each of its acquisitions its own outcome, in order. */
  static final class DecidedRun {
    private final Run run;
    private final long nowMicros;
    private final long[] views;
    private final long passed;
    private long given;

    private DecidedRun(Run run, long nowMicros, long[] views, long passed) {
      this.run = run;
      this.nowMicros = nowMicros;
      this.views = views;
      this.passed = passed;
    }

    /** Returns how many acquisitions of the run passed. */
    long passed() {
      return passed;
    }

    /** Returns the outcome of the next acquisition; null if a value in Redis is malformed. */
    @Nullable Outcome next(Acquisition acquisition) {
      if (passed < 0) {
        return null;
      }
      boolean allowed = given < passed;
      Outcome outcome = outcome(acquisition, allowed);
      given++;
      if (allowed && run.length() > 1) {
        BucketLimits limits = acquisition.key(0).limits();
        for (int b = 0; b < limits.size(); b++) {
          limits.band(b).advance(views, b * BandArithmetic.VIEW_WORDS, acquisition.cost(0));
        }
      }
      return outcome;
    }

    private Outcome outcome(Acquisition acquisition, boolean allowed) {
      Outcome outcome = new Outcome();
      outcome.reset(acquisition.bands());
      System.arraycopy(views, 0, outcome.views(), 0, views.length);
      int v = 0;
      for (int i = 0; i < acquisition.size(); i++) {
        BucketLimits limits = acquisition.key(i).limits();
        boolean passes = true;
        for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
          passes &= limits.band(b).admits(views, v, acquisition.cost(i));
        }
        if (passes) {
          outcome.pass(i);
        }
      }
      outcome.decide(allowed, nowMicros);
      return outcome;
    }
  }

  /** A reply that the script cannot have sent. */
  static final class MalformedReplyException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedReplyException(String what) {
      super("the script's reply has " + what);
    }
  }
}
