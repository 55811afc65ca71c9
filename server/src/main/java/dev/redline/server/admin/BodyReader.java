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
 * Reads the body of a request as it arrives, so that no thread waits for a slow client.
 *
 * <p>A complete body becomes an attribute of the request, which goes on to its endpoint. One that
 * is too large or late ends the request. After an answer that needs no body, a bounded rest of it
 * is discarded for a moment: closing while the client still sends would reset the connection, and
 * the client might never read its answer.
 *
 * <p>The container calls one method at a time.
 */
final class BodyReader implements ReadListener, AsyncListener {
  /** The request attribute that holds the body. */
  static final String BODY = "dev.redline.body";

  /** The largest body that is read. */
  static final int LARGEST = 1 << 20;

  private static final Logger LOG = System.getLogger(BodyReader.class.getName());
  private static final Duration LINGER = Duration.ofSeconds(1);
  private static final int MOST_DISCARDED = 4 << 20;

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final AsyncContext async;
  private final ServletInputStream in;
  private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();
  private final byte[] buffer = new byte[8192];
  private boolean answered;
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

  static boolean hasBody(HttpServletRequest request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  /** Reads the body, and then lets the request go on. */
  static void start(HttpServletRequest request, HttpServletResponse response, Duration timeout)
      throws IOException {
    if (request.getContentLengthLong() > LARGEST) {
      deny(request, response, 413, Map.of(), tooLarge());
      return;
    }
    BodyReader reading = new BodyReader(request, response, timeout);
    reading.in.setReadListener(reading);
  }

  /** Ends a request without its body. */
  static void deny(
      HttpServletRequest request,
      HttpServletResponse response,
      int status,
      Map<String, String> headers,
      String detail)
      throws IOException {
    headers.forEach(response::setHeader);
    if (!hasBody(request)) {
      write(response, status, detail);
      return;
    }
    BodyReader reading = new BodyReader(request, response, LINGER);
    reading.answer(status, detail);
    reading.in.setReadListener(reading);
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

  /** Sends the last answer of the connection. */
  private void answer(int status, String detail) throws IOException {
    answered = true;
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
      if (answered) {
        discarded += count;
        if (discarded > MOST_DISCARDED) {
          abandon();
        }
      } else if (gathered.size() + count > LARGEST) {
        gathered.reset();
        answer(413, tooLarge());
      } else {
        gathered.write(buffer, 0, count);
      }
    }
  }

  @Override
  public void onAllDataRead() {
    if (ended) {
      return;
    }
    ended = true;
    if (answered) {
      async.complete();
    } else {
      request.setAttribute(BODY, gathered.toByteArray());
      async.dispatch();
    }
  }

  @Override
  public void onError(Throwable failure) {
    LOG.log(Level.DEBUG, "the client did not send its body", failure);
    abandon();
  }

  @Override
  public void onTimeout(AsyncEvent event) throws IOException {
    if (!answered && !ended) {
      answer(408, "the body did not arrive in time");
    }
    abandon();
  }

  /** Ends the request and its connection, whatever the client still sends. */
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
    throw new IllegalStateException("endpoints of the admin API answer at once");
  }
}
