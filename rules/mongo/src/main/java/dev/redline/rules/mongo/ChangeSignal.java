package dev.redline.rules.mongo;

import java.io.IOException;
import java.time.Duration;

/** How a change is noticed before the rules are polled the next time. */
interface ChangeSignal extends AutoCloseable {
  /** Waits until the rules may have changed, at most the given time. */
  void await(Duration atMost) throws IOException, InterruptedException;

  /** Announces a revision that was written here; a failure is logged, since nodes poll anyway. */
  void announce(long version);

  @Override
  void close();
}
