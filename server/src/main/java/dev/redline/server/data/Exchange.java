package dev.redline.server.data;

import dev.redline.core.internal.http.HttpDecision;
import dev.redline.core.internal.http.ProblemDetails;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its response. Used by the event loop of its connection.
 *
 * <p>Only the first response is sent; later ones are ignored, such as the decision for a request
 * that timed out already.
 */
final class Exchange {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final CharSequence PROBLEM_JSON =
      HttpHeaders.createOptimized(ProblemDetails.MEDIA_TYPE);
  private static final CharSequence CLOSE = HttpHeaders.createOptimized("close");

  /** How long a connection stays open so that its client can read the last response. */
  private static final Duration LINGER = Duration.ofSeconds(1);

  /** How many bytes of an unused body are discarded before the connection is closed. */
  private static final int MAX_DISCARDED = 4 << 20;

  private final HttpServerRequest request;
  private final String uri;
  private final EventLoopState loop;
  private final long startNanos = System.nanoTime();
  private boolean admitted;
  private int bufferedBytes;
  private boolean responded;
  private boolean closesConnection;
  private int discarded;

  // The links of the list in BodyDeadlines.
  @Nullable Exchange older;
  @Nullable Exchange newer;

  /**
   * Creates the exchange of a request.
   *
   * @param uri the path of the endpoint, or {@code UNKNOWN}: the tag of its metrics
   */
  Exchange(HttpServerRequest request, String uri, EventLoopState loop) {
    this.request = request;
    this.uri = uri;
    this.loop = loop;
  }

  HttpServerRequest request() {
    return request;
  }

  EventLoopState loop() {
    return loop;
  }

  long startNanos() {
    return startNanos;
  }

  boolean isResponded() {
    return responded;
  }

  /**
   * Counts this request against the in-flight limit until it is answered or its connection is lost;
   * returns false if the limit is reached.
   */
  boolean admit() {
    admitted = loop.admission().enter();
    if (admitted) {
      request.exceptionHandler(lost -> leave());
    }
    return admitted;
  }

  /** Counts bytes buffered for this request; returns false if they exceed the limit. */
  boolean buffer(int bytes) {
    bufferedBytes += bytes;
    return loop.admission().buffer(bytes);
  }

  /** Starts the deadline for the body. */
  void awaitBody() {
    loop.deadlines().add(this);
  }

  /** Ends the deadline: the body is complete. */
  void bodyComplete() {
    loop.deadlines().remove(this);
  }

  private void leave() {
    loop.deadlines().remove(this);
    if (admitted) {
      admitted = false;
      loop.admission().leave(bufferedBytes);
    }
  }

  /** Makes this the last exchange on its connection. */
  void closeConnection() {
    closesConnection = true;
  }

  /** Responds with a decision as JSON, as {@code /v1/check} does. */
  void decision(HttpDecision decision, CharSequence json) {
    HttpServerResponse response = request.response();
    decision.forEachHeader(response::putHeader);
    send(decision.status(), JSON, Buffer.buffer(json.toString()));
  }

  /** Responds as forward-auth does: an empty body if allowed, else a problem document. */
  void forwardAuth(HttpDecision decision) {
    decision.forEachHeader(request.response()::putHeader);
    if (decision.allowed()) {
      send(decision.status(), null, Buffer.buffer());
    } else {
      send(decision.status(), PROBLEM_JSON, Buffer.buffer(decision.problemJson()));
    }
  }

  /** Responds with 200 and JSON. */
  void json(CharSequence json) {
    send(200, JSON, Buffer.buffer(json.toString()));
  }

  /** Responds with 304: the client's copy is current. */
  void notModified() {
    send(304, null, Buffer.buffer());
  }

  /** Responds with an error. */
  void problem(HttpProblem problem) {
    if (problem.status() == 503) {
      request.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
    }
    send(problem.status(), PROBLEM_JSON, Buffer.buffer(problem.problem().toJson()));
  }

  private void send(int status, @Nullable CharSequence type, Buffer body) {
    if (responded) {
      return;
    }
    responded = true;
    leave();
    loop.timers().record(request.method().name(), uri, status, System.nanoTime() - startNanos);
    HttpServerResponse response = request.response();
    if (response.closed()) {
      return;
    }
    response.setStatusCode(status);
    if (type != null) {
      response.putHeader(HttpHeaders.CONTENT_TYPE, type);
    }
    boolean unread = !request.isEnded() && hasBody();
    // The body of a failed or large request is not read, so the connection cannot be reused.
    closesConnection |= unread && (status >= 400 || !isSmall());
    if (closesConnection || loop.drain().hasBegun()) {
      response.putHeader(HttpHeaders.CONNECTION, CLOSE);
      response.end(body).onComplete(sent -> loop.later(this::close));
    } else {
      response.end(body);
      if (unread) {
        loop.after(loop.deadlines().timeout(), this::closeUnlessRead);
      }
    }
  }

  private boolean hasBody() {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length == null
        ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        : !length.equals("0");
  }

  private boolean isSmall() {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length != null && !JsonBody.isTooLong(length);
  }

  private void closeUnlessRead() {
    if (!request.isEnded()) {
      request.connection().close();
    }
  }

  /** Closes the connection; while draining, requests that were sent already are answered first. */
  private void close() {
    if (!closesConnection) {
      long millis = loop.drain().timeout().toMillis();
      request.connection().shutdown(millis, TimeUnit.MILLISECONDS);
    } else if (!request.isEnded() && hasBody()) {
      linger();
    } else {
      request.connection().close();
    }
  }

  /**
   * Closes the connection after a delay: closing while the client still sends would reset it, and
   * the client might not receive the response.
   */
  private void linger() {
    request.handler(
        chunk -> {
          discarded += chunk.length();
          if (discarded > MAX_DISCARDED) {
            request.connection().close();
          }
        });
    request.endHandler(end -> request.connection().close());
    loop.after(LINGER, () -> request.connection().close());
  }
}
