package dev.redline.testkit;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.ConfigProvider.Snapshot;
import java.io.IOException;

/** A rule source and the means of a test to change what it reads. */
public interface RuleSourceUnderTest extends AutoCloseable {
  /** Returns the source. */
  ConfigProvider source();

  /** Writes the one document of the source. */
  void write(String document) throws Exception;

  /**
   * Returns the text that was written, from what the source returned. By default it is the content
   * of all documents; a source that holds no texts has to find it in what it holds.
   */
  default String text(Snapshot snapshot) {
    return snapshot.documents().stream().map(Document::content).reduce("", String::concat);
  }

  /** Removes the document; returns false if that is not possible. */
  boolean remove() throws Exception;

  /** Returns how many bytes a document may have. */
  default int largestDocument() {
    return 4 << 20;
  }

  /** Makes the source unreachable; returns false if that is not possible. */
  default boolean disconnect() throws Exception {
    return false;
  }

  /** Makes the source reachable again. */
  default void reconnect() throws Exception {}

  /** Closes the source, and removes what the test has made. */
  @Override
  void close() throws IOException;
}
