package dev.redline.core;

import java.util.concurrent.Executor;

/** The time of waiting callers, and the threads that act for them. Tests bring their own. */
interface WaitTimer {
  /** The timer and threads that all waiting callers of this process share. */
  WaitTimer SHARED = new SharedWaitTimer();

  /** Returns the time in nanoseconds, as {@link System#nanoTime} does. */
  long nanoTime();

  /** Runs a task that does not block after a delay; returns what prevents it. */
  Runnable schedule(Runnable task, long nanos);

  /** Returns the threads that run the continuations of callers, which may block. */
  Executor continuations();
}
