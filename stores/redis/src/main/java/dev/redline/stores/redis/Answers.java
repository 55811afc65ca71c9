package dev.redline.stores.redis;

import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which callers hear of answers, so that their code never runs on an I/O thread.
 *
 * <p>What a continuation acquires while the answers of one call are given out leaves when the last
 * of them is given, or when enough has gathered: so the questions that the answers of one call
 * bring leave in one call again, instead of the first of them alone.
 */
final class Answers implements Executor, AutoCloseable {
  private final ForkJoinPool pool =
      new ForkJoinPool(
          Math.max(2, Runtime.getRuntime().availableProcessors()), Worker::new, null, true);

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** Gives out the answers of one call; what they bring is sent at the end of it. */
  void giveOut(Runnable answers) {
    pool.execute(
        () -> {
          Worker worker = worker();
          if (worker == null || worker.held != null) {
            answers.run();
            return;
          }
          Held held = new Held();
          worker.held = held;
          try {
            answers.run();
          } finally {
            worker.held = null;
            held.release();
          }
        });
  }

  /**
   * Returns the lanes that wait for the end of what this thread gives out, or null if it does not.
   */
  static @Nullable Held held() {
    Worker worker = worker();
    return worker == null ? null : worker.held;
  }

  private static @Nullable Worker worker() {
    return Thread.currentThread() instanceof Worker worker ? worker : null;
  }

  @Override
  public void close() {
    pool.shutdown();
  }

  /** Lanes with acquisitions that leave together; touched by one thread only. */
  static final class Held {
    private Lane[] lanes = new Lane[4];
    private int size;

    void add(Lane lane) {
      if (size > 0 && lanes[size - 1] == lane) {
        return;
      }
      if (size == lanes.length) {
        lanes = Arrays.copyOf(lanes, size * 2);
      }
      lanes[size++] = lane;
    }

    private void release() {
      for (int i = 0; i < size; i++) {
        lanes[i].drain();
      }
    }
  }

  private static final class Worker extends ForkJoinWorkerThread {
    private @Nullable Held held;

    Worker(ForkJoinPool pool) {
      super(pool);
      setName("redline-redis-answers-" + getPoolIndex());
    }
  }
}
