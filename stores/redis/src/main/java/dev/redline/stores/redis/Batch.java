package dev.redline.stores.redis;

import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The acquisitions of one script call: what the script is told, and what its reply means. */
final class Batch {
  static final int MAX_BANDS = 256;
  private static final int MAX_KEYS = 255;
  private static final int MAX_REPEATS = 255;

  private record Cost(BucketLimits limits, long cost) {}

  private final List<Ticket> tickets = new ArrayList<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte[]> shapes = new ArrayList<>();
  private final Map<RateLimitKey, Integer> keyIndex = new HashMap<>();
  private final Map<Cost, Integer> shapeIndex = new HashMap<>();
  private final ByteArrayOutputStream items = new ByteArrayOutputStream(256);
  private final List<Integer> repeats = new ArrayList<>();
  private final ToLongFunction<BucketLimits> generations;
  private int bands;

  Batch(ToLongFunction<BucketLimits> generations) {
    this.generations = generations;
  }

  boolean isEmpty() {
    return tickets.isEmpty();
  }

  int size() {
    return tickets.size();
  }

  List<Ticket> tickets() {
    return tickets;
  }

  List<byte[]> keys() {
    return keys;
  }

  /** Returns the arguments that follow the keys. */
  List<byte[]> arguments() {
    List<byte[]> arguments = new ArrayList<>(shapes.size() + 1);
    arguments.add(items.toByteArray());
    arguments.addAll(shapes);
    return arguments;
  }

  /** Returns whether one more acquisition fits into the call. */
  boolean fits(Ticket ticket) {
    Acquisition acquisition = ticket.acquisition();
    return tickets.isEmpty()
        || (bands + acquisition.bands() <= MAX_BANDS
            && keys.size() + acquisition.size() <= MAX_KEYS
            && shapes.size() + acquisition.size() <= MAX_KEYS);
  }

  void add(Ticket ticket) {
    int last = tickets.size() - 1;
    boolean repeats =
        last >= 0
            && tickets.get(last).coalescesWith(ticket)
            && this.repeats.get(this.repeats.size() - 1) < MAX_REPEATS;
    tickets.add(ticket);
    if (repeats) {
      this.repeats.set(this.repeats.size() - 1, this.repeats.get(this.repeats.size() - 1) + 1);
      return;
    }
    this.repeats.add(1);
    bands += ticket.acquisition().bands();
    for (int i = 0; i < ticket.acquisition().size(); i++) {
      index(ticket, i);
    }
  }

  private void index(Ticket ticket, int i) {
    RateLimitKey key = ticket.acquisition().key(i);
    keyIndex.computeIfAbsent(
        key,
        absent -> {
          keys.add(ticket.key(i).bytes());
          return keys.size();
        });
    Cost cost = new Cost(key.limits(), ticket.acquisition().cost(i));
    shapeIndex.computeIfAbsent(
        cost,
        absent -> {
          shapes.add(Shape.encode(cost.limits, cost.cost, generations.applyAsLong(cost.limits)));
          return shapes.size();
        });
  }

  /** Writes the acquisitions down; after the last was added. */
  void seal() {
    int at = 0;
    for (int count : repeats) {
      Acquisition acquisition = tickets.get(at).acquisition();
      items.write(acquisition.size());
      items.write(count);
      items.write(acquisition.dryRun() ? 1 : 0);
      for (int i = 0; i < acquisition.size(); i++) {
        RateLimitKey key = acquisition.key(i);
        items.write(keyIndex.getOrDefault(key, 0));
        items.write(shapeIndex.getOrDefault(new Cost(key.limits(), acquisition.cost(i)), 0));
        items.write(acquisition.shadow(i) ? 1 : 0);
      }
      at += count;
    }
  }

  /** Hears what came of each ticket. */
  interface Listener {
    void decided(Ticket ticket, Outcome outcome);

    void unreadable(Ticket ticket);
  }

  /**
   * Reads the script's reply.
   *
   * @throws MalformedReplyException if it does not fit what was asked; then nobody was told
   *     anything
   */
  void read(long[] reply, Listener listener) throws MalformedReplyException {
    List<Runnable> answers = new ArrayList<>(tickets.size());
    if (reply.length == 0) {
      throw new MalformedReplyException("an empty reply");
    }
    long now = reply[0];
    int r = 1;
    int at = 0;
    for (int count : repeats) {
      Ticket first = tickets.get(at);
      if (r >= reply.length) {
        throw new MalformedReplyException("a reply of " + reply.length + " numbers");
      }
      long passed = reply[r++];
      if (passed == -1) {
        for (int i = 0; i < count; i++) {
          Ticket ticket = tickets.get(at + i);
          answers.add(() -> listener.unreadable(ticket));
        }
      } else {
        if (passed < 0 || passed > count) {
          throw new MalformedReplyException("a count of " + passed + " of " + count);
        }
        long[] views = new long[first.acquisition().bands() * BandArithmetic.VIEW_WORDS];
        r = readViews(first.acquisition(), now, reply, r, views);
        for (int i = 0; i < count; i++) {
          Ticket ticket = tickets.get(at + i);
          Outcome outcome = outcome(ticket.acquisition(), now, views, i < passed);
          answers.add(() -> listener.decided(ticket, outcome));
          if (i < passed && count > 1) {
            advance(first.acquisition(), views);
          }
        }
      }
      at += count;
    }
    if (r != reply.length) {
      throw new MalformedReplyException(
          "a reply of " + reply.length + " numbers where " + r + " were expected");
    }
    answers.forEach(Runnable::run);
  }

  private static int readViews(
      Acquisition acquisition, long now, long[] reply, int from, long[] views)
      throws MalformedReplyException {
    int r = from;
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        int words = limits.band(b).sentWords();
        if (r + words > reply.length) {
          throw new MalformedReplyException("a reply of " + reply.length + " numbers");
        }
        System.arraycopy(reply, r, views, v, words);
        limits.band(b).complete(views, v, now);
        r += words;
      }
    }
    return r;
  }

  private static Outcome outcome(Acquisition acquisition, long now, long[] views, boolean allowed) {
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
    outcome.decide(allowed, now);
    return outcome;
  }

  private static void advance(Acquisition acquisition, long[] views) {
    BucketLimits limits = acquisition.key(0).limits();
    for (int b = 0; b < limits.size(); b++) {
      limits.band(b).advance(views, b * BandArithmetic.VIEW_WORDS, acquisition.cost(0));
    }
  }

  /** Says that a reply is not one of the script's. */
  static final class MalformedReplyException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedReplyException(String what) {
      super("Redis answered the script with " + what);
    }
  }
}
