package dev.redline.bench.scale;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Simulated time, and what happens when: a binary heap. Events of one time keep their order. */
final class EventQueue {
  private long now;
  private long[] times = new long[1024];
  private long[] orders = new long[1024];
  private @Nullable Runnable[] events = new Runnable[1024];
  private int size;
  private long order;

  EventQueue(long startNanos) {
    this.now = startNanos;
  }

  long now() {
    return now;
  }

  /** Returns when the next event happens; the largest number if there is none. */
  long nextTime() {
    return size == 0 ? Long.MAX_VALUE : times[0];
  }

  /** Moves the time to something that happens outside of the queue, before its next event. */
  void advance(long nanos) {
    now = nanos;
  }

  void at(long nanos, Runnable event) {
    if (size == events.length) {
      times = Arrays.copyOf(times, 2 * size);
      orders = Arrays.copyOf(orders, 2 * size);
      events = Arrays.copyOf(events, 2 * size);
    }
    int i = size++;
    long mine = order++;
    while (i > 0) {
      int parent = (i - 1) >>> 1;
      if (times[parent] <= nanos) {
        break;
      }
      move(parent, i);
      i = parent;
    }
    times[i] = nanos;
    orders[i] = mine;
    events[i] = event;
  }

  private void move(int from, int to) {
    times[to] = times[from];
    orders[to] = orders[from];
    events[to] = events[from];
  }

  private boolean before(int one, int other) {
    return times[one] != times[other] ? times[one] < times[other] : orders[one] < orders[other];
  }

  /** Runs the next event at its time. */
  void runNext() {
    Runnable next = Objects.requireNonNull(events[0], "there is no event");
    now = times[0];
    int last = --size;
    int i = 0;
    while (true) {
      int child = 2 * i + 1;
      if (child >= last) {
        break;
      }
      if (child + 1 < last && before(child + 1, child)) {
        child++;
      }
      if (!before(child, last)) {
        break;
      }
      move(child, i);
      i = child;
    }
    move(last, i);
    events[last] = null;
    next.run();
  }
}
