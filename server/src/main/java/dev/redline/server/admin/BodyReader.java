package dev.redline.server.admin;

import dev.redline.core.internal.http.ProblemDetails;
import dev.redline.server.management.UnreadBodyValve;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/**
 * Reads the body of a request without blocking (Servlet {@code ReadListener}), so that no thread
 * waits for a slow client.
 *
 * <p>A complete body becomes a request attribute, and the request is dispatched to its endpoint. A
 * body that is too large or late ends the request with 413 or 408. After an early response, the
 * rest of the body is discarded for at most a second and 4 MiB: closing while the client still
 * sends would reset the connection, and the client might not receive the response.
 *
 * <p>The servlet container calls one method at a time.
 */
final class BodyReader implements ReadListener, AsyncListener {
  /** The request attribute that holds the body. */
  static final String BODY = "dev.redline.body";

  /** The largest body that is accepted. */
  static final int MAX_BYTES = 1 << 20;

  private static final Logger LOG = System.getLogger(BodyReader.class.getName());
  private static final Duration LINGER = Duration.ofSeconds(1);
  private static final int MAX_DISCARDED = 4 << 20;

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final AsyncContext async;
  private final ServletInputStream in;
  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private final byte[] buffer = new byte[8192];
  private boolean responded;
  private boolean ended;
  private int discarded;

  private BodyReader(HttpServletRequest request, HttpServletResponse response, Duration timeout)
      throws IOException {
    this.request = request;
    this.response = response;
    this.in = request.getInputStream();
    this.async = request.startAsync(request, response);
    async.setTimeout(timeout.toMillis());
    async.addListener(this);
  }

  /** Reads the body, and then dispatches the request to its endpoint. */
  static void start(HttpServletRequest request, HttpServletResponse response, Duration timeout)
      throws IOException {
    if (request.getContentLengthLong() > MAX_BYTES) {
      reject(request, response, 413, Map.of(), tooLarge());
      return;
    }
    BodyReader reader = new BodyReader(request, response, timeout);
    reader.in.setReadListener(reader);
  }

  /** Responds with an error, without using the body. */
  static void reject(
      HttpServletRequest request,
      HttpServletResponse response,
      int status,
      Map<String, String> headers,
      String detail)
      throws IOException {
    headers.forEach(response::setHeader);
    if (!UnreadBodyValve.hasBody(request)) {
      write(response, status, detail);
      return;
    }
    BodyReader reader = new BodyReader(request, response, LINGER);
    reader.respondAndClose(status, detail);
    reader.in.setReadListener(reader);
  }

  private static String tooLarge() {
    return "the body is larger than 1 MiB";
  }

  private static void write(HttpServletResponse response, int status, String detail)
      throws IOException {
    response.setStatus(status);
    response.setContentType(ProblemDetails.MEDIA_TYPE);
    response
        .getOutputStream()
        .write(ProblemDetails.of(status, detail).toJson().getBytes(StandardCharsets.UTF_8));
  }

  /** Sends an error response, after which the connection is closed. */
  private void respondAndClose(int status, String detail) throws IOException {
    responded = true;
    response.setHeader("Connection", "close");
    write(response, status, detail);
    response.flushBuffer();
  }

  @Override
  public void onDataAvailable() throws IOException {
    while (!ended && in.isReady()) {
      int count = in.read(buffer);
      if (count < 0) {
        return;
      }
      if (responded) {
        discarded += count;
        if (discarded > MAX_DISCARDED) {
          abandon();
        }
      } else if (content.size() + count > MAX_BYTES) {
        content.reset();
        respondAndClose(413, tooLarge());
      } else {
        content.write(buffer, 0, count);
      }
    }
  }

  @Override
  public void onAllDataRead() {
    if (ended) {
      return;
    }
    ended = true;
    if (responded) {
      async.complete();
    } else {
      request.setAttribute(BODY, content.toByteArray());
      async.dispatch();
    }
  }

  @Override
  public void onError(Throwable failure) {
    LOG.log(Level.DEBUG, "reading a request body failed", failure);
    abandon();
  }

  @Override
  public void onTimeout(AsyncEvent event) throws IOException {
    if (!responded && !ended) {
      respondAndClose(408, "the body did not arrive in time");
    }
    abandon();
  }

  /** Ends the request and its connection without reading the rest of the body. */
  private void abandon() {
    if (!ended) {
      ended = true;
      ((Runnable) request.getAttribute(UnreadBodyValve.ABANDON)).run();
      async.complete();
    }
  }

  @Override
  public void onComplete(AsyncEvent event) {
    ended = true;
  }

  @Override
  public void onError(AsyncEvent event) {
    ended = true;
  }

  @Override
  public void onStartAsync(AsyncEvent event) {
    throw new IllegalStateException("endpoints of the admin API are synchronous");
  }
}
