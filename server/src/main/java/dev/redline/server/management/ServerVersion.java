package dev.redline.server.management;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of the service, as its build wrote it down. */
public final class ServerVersion {
  private ServerVersion() {}

  /** Returns the version. */
  public static String current() {
    Properties properties = new Properties();
    try (InputStream in = ServerVersion.class.getResourceAsStream("version.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version", "unknown");
  }
}
