package dev.redline.core.spi;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A source of rule documents: a file, a Redis, a remote server.
 *
 * <p>A source implements {@link #load}, and {@link #awaitChange} if it can notice a change; the
 * thread that waits and loads, retries with backoff, validation and putting in force are the same
 * for all sources. Never used on the request path.
 *
 * <p>At most one thread loads and at most one thread waits; both may happen at the same time.
 */
public interface ConfigProvider extends AutoCloseable {
  /**
   * One document as it was fetched.
   *
   * @param name where it comes from, for error messages: a file name, a key
   * @param content the YAML or JSON text
   */
  record Document(String name, String content) {}

  /**
   * What a source holds at one moment.
   *
   * @param version an opaque text that changes whenever the content does
   * @param documents the documents, which are read as one
   */
  record Snapshot(String version, List<Document> documents) {
    /** Copies the list. */
    public Snapshot {
      documents = List.copyOf(documents);
    }
  }

  /** Returns the source's name for messages. */
  String name();

  /**
   * Fetches what the source holds, or nothing if it holds no document yet.
   *
   * @throws IOException if the source cannot be reached or read
   */
  Optional<Snapshot> load() throws IOException;

  /**
   * Waits until the content may have changed since the last load, at most the given time. It may
   * return without cause; the source is loaded after it in any case. A source that cannot notice
   * changes sleeps, so it is polled.
   *
   * @throws IOException if the source cannot be reached; it is then loaded, and waited for again,
   *     with increasing delays
   * @throws InterruptedException if the thread is interrupted, which ends the wait
   */
  default void awaitChange(Duration atMost) throws IOException, InterruptedException {
    TimeUnit.NANOSECONDS.sleep(atMost.toNanos());
  }

  /**
   * Returns how often the source is loaded even if it noticed no change; {@code
   * rl.reload.polling-interval} if absent.
   */
  default Optional<Duration> pollInterval() {
    return Optional.empty();
  }

  /** Returns whether the content can change after the first load; otherwise it is loaded once. */
  default boolean canChange() {
    return true;
  }

  /**
   * Releases what the source holds. The thread that waits was interrupted before; a wait that goes
   * on may fail.
   */
  @Override
  default void close() {}
}
