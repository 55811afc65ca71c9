package dev.redline.spring.boot.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of Redline, from a resource that the build writes. */
final class RedlineVersion {
  private RedlineVersion() {}

  static String current() {
    Properties properties = new Properties();
    try (InputStream in = RedlineVersion.class.getResourceAsStream("version.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version", "unknown");
  }
}
