package dev.redline.core;

/**
 * Says that a request has more header fields or values than the server that decides accepts. In
 * HTTP it is status 431. Has no stack trace, since any client can cause it.
 */
public final class OversizedRequestException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** The status of its response: Request Header Fields Too Large. */
  public static final int STATUS = 431;

  /** Creates the exception; the message is sent to the client. */
  public OversizedRequestException(String message) {
    super(message);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
