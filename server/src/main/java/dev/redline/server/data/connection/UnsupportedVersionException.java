package dev.redline.server.data.connection;

/** The cause of an invalid request whose version is neither HTTP/1.0 nor HTTP/1.1. */
public final class UnsupportedVersionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnsupportedVersionException(String version) {
    super(version, null, false, false);
  }
}
