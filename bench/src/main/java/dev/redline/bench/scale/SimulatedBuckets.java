package dev.redline.bench.scale;

import dev.redline.core.internal.limit.BucketArithmetic;
import dev.redline.core.internal.store.AcquisitionDecider;
import dev.redline.core.internal.store.BucketAccess;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.redis.internal.SimulatedWorld.Script;
import java.util.Arrays;
import java.util.List;

/**
 * The buckets in Redis, and what the scripts do with them. The arguments are those of the real
 * scripts; each acquisition is decided by the decision function of the library.
 */
final class SimulatedBuckets {
  private static final int SIMPLE = 1;
  private static final int FLAT_ONE_BAND = 3;
  private static final int PARAMETERS_LIMIT_AT = 8;
  private static final int PARAMETERS_UNIT_AT = 21;
  private static final int PARAMETERS_PRICE_AT = 34;

  private final BucketArithmetic arithmetic;
  private final Acquisition[] ofOne;
  private final long[] states;
  private final int words;
  private final long horizon;
  private final long unitsPerToken;
  private final boolean hasSub;
  private final Outcome outcome = new Outcome();
  private long[] reply = new long[256];
  private int used;
  private int bucket;
  private final BucketAccess access =
      new BucketAccess() {
        @Override
        public boolean view(int key, BucketLimits of, long nowMicros, long[] views, int v) {
          return arithmetic.view(states, bucket * words, nowMicros, views, v);
        }

        @Override
        public void take(int key, BucketLimits of, long nowMicros, long[] views, int v, long cost) {
          arithmetic.take(states, bucket * words, nowMicros, views, v, cost);
        }
      };

  /**
   * Creates the buckets, all full.
   *
   * @param limits one band that refills continuously
   */
  SimulatedBuckets(BucketLimits limits, int keys) {
    this.arithmetic = limits.arithmetic();
    this.words = limits.stateWords();
    this.states = new long[keys * words];
    this.ofOne = new Acquisition[keys];
    for (int k = 0; k < keys; k++) {
      arithmetic.fill(states, k * words);
      ofOne[k] = Acquisition.of(new RateLimitKey(limits, "k" + k), 1);
    }
    var one = limits.band(0).parameters(1);
    this.horizon = one.limit();
    this.unitsPerToken = one.price() * one.unit() + one.priceSub();
    this.hasSub = limits.band(0).sentWords() > 1;
  }

  /** Returns the acquisition of one token of a key. */
  Acquisition ofOne(int key) {
    return ofOne[key];
  }

  /** Runs a script; returns its reply. */
  long[] run(Script script, List<byte[]> keys, List<byte[]> arguments, long nowMicros) {
    used = 0;
    add(nowMicros);
    switch (script) {
      case ACQUIRE_ONE -> decide(key(keys.get(0)), cost(arguments.get(0)), 1, nowMicros);
      case ACQUIRE -> decideAll(keys, arguments, nowMicros);
      case REFUND_LAST -> {
        for (int i = 0; i < keys.size(); i++) {
          refund(key(keys.get(i)), arguments.get(i), nowMicros);
        }
      }
    }
    return Arrays.copyOf(reply, used);
  }

  private void decideAll(List<byte[]> keys, List<byte[]> arguments, long nowMicros) {
    byte[] items = arguments.get(0);
    switch (items[0]) {
      case FLAT_ONE_BAND -> {
        for (int k = 0; k < keys.size(); k++) {
          long cost = cost(arguments.get(items[1 + 2 * k] & 0xFF));
          decide(key(keys.get(k)), cost, items[2 + 2 * k] & 0xFF, nowMicros);
        }
      }
      case SIMPLE -> {
        for (int at = 1; at < items.length; at += 4) {
          long cost = cost(arguments.get(items[at + 1] & 0xFF));
          int key = key(keys.get((items[at] & 0xFF) - 1));
          decide(key, cost, items[at + 2] & 0xFF, nowMicros);
        }
      }
      default -> throw new IllegalArgumentException("items of kind " + items[0]);
    }
  }

  /** Decides equal acquisitions in turn: after the first denial all are denied. */
  private void decide(int key, long cost, int count, long nowMicros) {
    bucket = key;
    Acquisition each = cost == 1 ? ofOne[key] : Acquisition.of(ofOne[key].key(0), cost);
    int place = used;
    add(0);
    long passed = 0;
    for (int i = 0; i < count; i++) {
      AcquisitionDecider.decide(each, access, nowMicros, outcome);
      if (i == 0) {
        add(outcome.views()[0]);
        if (hasSub) {
          add(outcome.views()[1]);
        }
      }
      if (!outcome.allowed()) {
        break;
      }
      passed++;
    }
    reply[place] = passed;
  }

  /** Refunds tokens if the bucket is as their acquisition left it; see {@code refund-last.lua}. */
  private void refund(int key, byte[] argument, long nowMicros) {
    long unit = number(argument, 8, 7);
    long full = number(argument, 21, 7);
    long sub = number(argument, 28, 6);
    long cost = tokens(number(argument, 34, 7), unit, number(argument, 41, 6));
    int s = key * words;
    boolean refunded = states[s] == full && states[s + 1] == sub && full >= nowMicros;
    if (refunded) {
      long[] views = outcome.views();
      arithmetic.view(states, s, nowMicros, views, 0);
      arithmetic.retreat(views, 0, cost);
      arithmetic.take(states, s, nowMicros, views, 0, 0);
    }
    add(refunded ? 1 : 0);
  }

  private void add(long number) {
    if (used == reply.length) {
      reply = Arrays.copyOf(reply, 2 * used);
    }
    reply[used++] = number;
  }

  /** Returns the number of a key, with which its name ends. */
  private static int key(byte[] name) {
    int number = 0;
    int place = 1;
    for (int i = name.length - 1; name[i] != 'k'; i--) {
      number += place * (name[i] - '0');
      place *= 10;
    }
    return number;
  }

  /** Returns the cost that parameters of the script stand for. */
  private long cost(byte[] parameters) {
    if (number(parameters, PARAMETERS_LIMIT_AT, 7) != horizon) {
      throw new IllegalArgumentException("parameters of other limits");
    }
    return tokens(
        number(parameters, PARAMETERS_PRICE_AT, 7),
        number(parameters, PARAMETERS_UNIT_AT, 7),
        number(parameters, PARAMETERS_PRICE_AT + 7, 6));
  }

  private long tokens(long price, long unit, long priceSub) {
    long units = price * unit + priceSub;
    if (units % unitsPerToken != 0) {
      throw new IllegalArgumentException("a price of " + price + " µs and " + priceSub);
    }
    return units / unitsPerToken;
  }

  private static long number(byte[] from, int at, int bytes) {
    long number = 0;
    for (int i = at; i < at + bytes; i++) {
      number = number << 8 | (from[i] & 0xFF);
    }
    return number;
  }
}
