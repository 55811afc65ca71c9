package dev.redline.server.management;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/**
 * Closes the connection of a request whose body was not read.
 *
 * <p>Tomcat would read the rest of the body after the response and block a thread for it: a few
 * clients that send slow bodies could delay health probes.
 */
public final class UnreadBodyValve extends ValveBase {
  /** The request attribute with a {@link Runnable} that makes Tomcat leave the body unread. */
  public static final String ABANDON = "dev.redline.abandon-body";

  UnreadBodyValve() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    Runnable abandon =
        () -> {
          request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
          // Tomcat treats this as an error and would append an error page to the response.
          response.setErrorReported();
        };
    request.setAttribute(ABANDON, abandon);
    getNext().invoke(request, response);
    if (!request.isAsync() && hasBody(request) && !isRead(request)) {
      // Tomcat would replace a response that is not flushed yet with a 500.
      response.flushBuffer();
      abandon.run();
    }
  }

  /** Returns whether a request has a body, by its header fields. */
  public static boolean hasBody(HttpServletRequest request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  private static boolean isRead(Request request) {
    AtomicBoolean read = new AtomicBoolean();
    request.getCoyoteRequest().action(ActionCode.REQUEST_BODY_FULLY_READ, read);
    return read.get();
  }
}
