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
 * One request and its answer; used on the event loop of its connection.
 *
 * <p>Answering twice is a no-op, so that a late decision cannot disturb an error already sent.
 */
final class Exchange {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final CharSequence PROBLEM_JSON =
      HttpHeaders.createOptimized(ProblemDetails.MEDIA_TYPE);
  private static final CharSequence CLOSE = HttpHeaders.createOptimized("close");

  /** How long a connection stays open for its client to read the last answer. */
  private static final Duration LINGER = Duration.ofSeconds(1);

  /** How much of a body that nobody needs is discarded before the connection is closed. */
  private static final int MOST_DISCARDED = 4 << 20;

  private final HttpServerRequest request;
  private final String uri;
  private final EventLoopState loop;
  private final long startNanos = System.nanoTime();
  private boolean admitted;
  private int keptBytes;
  private boolean answered;
  private boolean last;
  private int discarded;

  // The neighbours in the list of BodyDeadlines.
  @Nullable Exchange older;
  @Nullable Exchange newer;

  /**
   * Creates the exchange of a request.
   *
   * @param uri the path of the endpoint, or a word for all paths that have none
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

  boolean isAnswered() {
    return answered;
  }

  /** Returns whether the service takes this request on; it is given up when answered or lost. */
  boolean admit() {
    admitted = loop.admission().enter();
    if (admitted) {
      request.exceptionHandler(lost -> leave());
    }
    return admitted;
  }

  /** Keeps bytes for this request; returns whether there is room for them. */
  boolean keep(int bytes) {
    keptBytes += bytes;
    return loop.admission().keep(bytes);
  }

  /** Gives the client the time of {@link BodyDeadlines} to send the body. */
  void awaitBody() {
    loop.deadlines().add(this);
  }

  /** Ends the time for the body: it is complete. */
  void bodyComplete() {
    loop.deadlines().remove(this);
  }

  private void leave() {
    loop.deadlines().remove(this);
    if (admitted) {
      admitted = false;
      loop.admission().leave(keptBytes);
    }
  }

  /** Makes this the last exchange on its connection. */
  void last() {
    last = true;
  }

  /** Answers with the bare decision, as a question is answered. */
  void decision(HttpDecision decision, CharSequence json) {
    HttpServerResponse response = request.response();
    decision.forEachHeader(response::putHeader);
    send(decision.status(), JSON, Buffer.buffer(json.toString()));
  }

  /** Answers as the described request is to be answered: an empty pass, or the refusal. */
  void verdict(HttpDecision decision) {
    decision.forEachHeader(request.response()::putHeader);
    if (decision.allowed()) {
      send(decision.status(), null, Buffer.buffer());
    } else {
      send(decision.status(), PROBLEM_JSON, Buffer.buffer(decision.problemJson()));
    }
  }

  /** Answers 200 with JSON. */
  void json(CharSequence json) {
    send(200, JSON, Buffer.buffer(json.toString()));
  }

  /** Answers 304: what the caller has is still right. */
  void notModified() {
    send(304, null, Buffer.buffer());
  }

  /** Answers with an error. */
  void problem(HttpProblem problem) {
    if (problem.status() == 503) {
      request.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
    }
    send(problem.status(), PROBLEM_JSON, Buffer.buffer(problem.problem().toJson()));
  }

  private void send(int status, @Nullable CharSequence type, Buffer body) {
    if (answered) {
      return;
    }
    answered = true;
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
    // What was denied, or is too large to be worth reading, is not read.
    last |= unread && (status >= 400 || !isSmall());
    if (last || loop.drain().hasBegun()) {
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

  /** Closes the connection, once what the client sent already is answered too. */
  private void close() {
    if (!last) {
      long millis = loop.drain().timeout().toMillis();
      request.connection().shutdown(millis, TimeUnit.MILLISECONDS);
    } else if (!request.isEnded() && hasBody()) {
      linger();
    } else {
      request.connection().close();
    }
  }

  /**
   * Closes the connection a moment later: closing while the client still sends would reset it, and
   * the client might never read its answer.
   */
  private void linger() {
    request.handler(
        chunk -> {
          discarded += chunk.length();
          if (discarded > MOST_DISCARDED) {
            request.connection().close();
          }
        });
    request.endHandler(end -> request.connection().close());
    loop.after(LINGER, () -> request.connection().close());
  }
}
