package dev.redline.testkit;

import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;

/** A rule source and the means of a test to change what it reads. */
public interface RuleSourceUnderTest extends AutoCloseable {
  /** Returns the source. */
  ConfigProvider source();

  /** Writes the one document of the source. */
  void write(String document) throws Exception;

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
