package dev.redline.core.spi;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A source of rule documents: a file, a Redis, a remote server.
 *
 * <p>A source only fetches text; reading, validating and swapping are the same for all sources.
 * Called by one thread at a time, never on the request path.
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
   * Calls {@code changed} whenever the content may have changed, until closed; from any thread, and
   * perhaps without cause. A source that cannot watch does nothing here and is polled.
   */
  default void watch(Runnable changed) {}

  /** Stops watching and releases what the source holds. */
  @Override
  default void close() {}
}
