package dev.redline.core;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/** A timer that stands still until a test moves it; runs what is due in order, at its time. */
final class ManualWaitTimer implements WaitTimer {
  private record Task(long at, long order, Runnable action) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
  private long nanos;
  private long scheduled;
  private long lateNanos;

  /** Returns the same time in microseconds, for the store. */
  synchronized long micros() {
    return EngineFixture.START + nanos / 1000;
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  @Override
  public synchronized Runnable schedule(Runnable action, long delay) {
    Task task = new Task(nanos + Math.max(0, delay), scheduled++, action);
    tasks.add(task);
    return () -> remove(task);
  }

  private synchronized void remove(Task task) {
    tasks.remove(task);
  }

  @Override
  public Executor continuations() {
    return Runnable::run;
  }

  /** Lets every task run that much after its time, as on a busy machine. */
  void runLate(Duration by) {
    lateNanos = by.toNanos();
  }

  /** Lets time pass. */
  void advance(Duration by) {
    long until;
    synchronized (this) {
      until = nanos + by.toNanos();
    }
    for (Task due = next(until); due != null; due = next(until)) {
      due.action.run();
    }
    synchronized (this) {
      nanos = until;
    }
  }

  private synchronized Task next(long until) {
    Task first = tasks.peek();
    if (first == null || first.at + lateNanos > until) {
      return null;
    }
    nanos = Math.max(nanos, first.at + lateNanos);
    return tasks.poll();
  }

  /** Returns how many tasks are scheduled. */
  synchronized int pending() {
    return tasks.size();
  }
}
