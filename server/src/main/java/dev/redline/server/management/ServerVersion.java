package dev.redline.server.management;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of the service, from a resource that the build writes. */
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
