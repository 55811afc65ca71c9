package dev.redline.server.data;

/** The files for TLS cannot be used; the message names the property and the file. */
public final class InvalidTlsFilesException extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidTlsFilesException(String message, Throwable cause) {
    super(message, cause);
  }

  InvalidTlsFilesException(String message) {
    super(message);
  }
}
