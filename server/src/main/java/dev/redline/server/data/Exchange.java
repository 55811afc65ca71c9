package dev.redline.server.data;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.HttpDecision;
import dev.redline.core.internal.http.ProblemDetails;
import dev.redline.server.access.CallerAuthenticator.Credential;
import dev.redline.server.data.connection.ConnectionGuard;
import dev.redline.server.logging.TraceContext;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http2.Http2Error;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  /**
   * The names of header fields of decisions, as bytes with a known hash: Vert.x would otherwise
   * compute both for every response.
   */
  private static final Map<String, CharSequence> DECISION_FIELDS =
      Stream.of(
              "X-RateLimit-Limit",
              "X-RateLimit-Remaining",
              "X-RateLimit-Reset",
              "X-RateLimit-Retry-After",
              "Retry-After",
              "RateLimit-Policy",
              "RateLimit")
          .collect(Collectors.toUnmodifiableMap(name -> name, HttpHeaders::createOptimized));

  /** A body of at most this size is read and ignored, so that its connection can be reused. */
  private static final int MAX_IGNORED_BODY = 1 << 16;

  /** How much of a body that is not needed is read over HTTP/2 before the client is stopped. */
  private static final int MAX_DISCARDED_BODY = 4 << 20;

  /** How long a request must have waited for its body to give way when there are too many. */
  private static final long SLOW_BODY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long the last response of a connection waits for further requests on their way. */
  private static final Duration LAST_RESPONSE_DELAY = Duration.ofMillis(5);

  private final HttpServerRequest request;
  private final String uri;
  private final EventLoopState loop;
  private final ConnectionGuard connection;
  private final long startNanos = System.nanoTime();
  private boolean admitted;
  private int bufferedBytes;
  private boolean discardsBody;
  private int discardedBytes;
  private boolean responded;
  private volatile boolean clientGone;
  private boolean counted = true;
  private boolean closesConnection;
  private Credential credential = Credential.NONE;

  // The state of ExchangeDeadlines.
  @Nullable ExchangeDeadlines waitsIn;
  @Nullable Exchange older;
  @Nullable Exchange newer;
  long waitsSinceNanos;

  /**
   * Creates the exchange of a request.
   *
   * @param uri the path of the endpoint, or {@code UNKNOWN}: the tag of its metrics
   */
  Exchange(HttpServerRequest request, String uri, EventLoopState loop, ConnectionGuard connection) {
    this.request = request;
    this.uri = uri;
    this.loop = loop;
    this.connection = connection;
    connection.requestBegun();
  }

  HttpServerRequest request() {
    return request;
  }

  EventLoopState loop() {
    return loop;
  }

  boolean isResponded() {
    return responded;
  }

  /** Sets what authenticated the caller. */
  void authenticatedBy(Credential value) {
    credential = value;
  }

  /** Returns what authenticated the caller. */
  Credential credential() {
    return credential;
  }

  /**
   * Counts this request against the in-flight limit until it is answered or its connection is lost;
   * returns false if the limit is reached. Before that, the request that has waited longest for its
   * body gives way.
   */
  boolean admit() {
    admitted = loop.admission().enter() || (endSlowestBody() && loop.admission().enter());
    request.exceptionHandler(lost -> lost());
    return admitted;
  }

  private boolean endSlowestBody() {
    Exchange oldest = loop.bodies().oldest();
    if (oldest == null || startNanos - oldest.waitsSinceNanos < SLOW_BODY_NANOS) {
      return false;
    }
    oldest.problem(Router.overloaded());
    return true;
  }

  /**
   * Counts bytes buffered for this request; returns false if they exceed the limit. Before that, an
   * older request with a large body gives way.
   */
  boolean buffer(int bytes) {
    bufferedBytes += bytes;
    if (loop.admission().buffer(bytes)) {
      return true;
    }
    for (Exchange other = loop.bodies().oldest(); other != null; other = other.newer) {
      if (other != this && other.bufferedBytes >= JsonBody.LARGE_BYTES) {
        other.problem(Router.overloaded());
        return loop.admission().hasRoom();
      }
    }
    return false;
  }

  /** Starts the deadline for the body. */
  void awaitBody() {
    loop.bodies().add(this, startNanos);
    connection.readBody(this::malformedBody);
  }

  /** Ends the deadline: the body is complete. */
  void bodyComplete() {
    loop.bodies().remove(this);
    connection.readBody(null);
  }

  private void malformedBody(@Nullable Throwable cause) {
    closesConnection = true;
    problem(
        cause instanceof TooLongFrameException
            ? new HttpProblem(431, "the header fields after the body are too large")
            : new HttpProblem(400, "the body is not framed as HTTP demands"));
  }

  /** Responds with 408. */
  void bodyIsLate() {
    problem(
        new HttpProblem(
            408, "the body did not arrive within " + loop.bodies().timeout().toMillis() + " ms"));
  }

  /** Ends the connection of a client that does not read this response. */
  void responseIsLate() {
    connection.abort();
  }

  /** Runs a long task on another thread, and passes its value to a handler on the event loop. */
  <T> void offLoop(
      LongTasks tasks, long weight, Callable<CompletionStage<T>> task, Consumer<T> onValue) {
    loop.whenDone(
        tasks.run(this, weight, task), onValue, failure -> Router.sendFailure(this, failure));
  }

  /** Notices from now on if the client leaves, although its request is complete. */
  void watchClient() {
    HttpServerResponse response = request.response();
    if (response.closed()) {
      lost();
    } else {
      response.closeHandler(closed -> lost());
    }
  }

  /**
   * Ends a long task whose client has gone: no response can reach it. Called by any thread.
   *
   * @throws HttpProblem if it has gone
   */
  void requireClient() {
    if (clientGone) {
      throw new HttpProblem(408, "the client has gone");
    }
  }

  private void lost() {
    if (!responded) {
      clientGone = true;
    }
    responded = true;
    leave();
    loop.unsent().remove(this);
  }

  private void leave() {
    loop.bodies().remove(this);
    if (counted) {
      counted = false;
      connection.requestEnded();
    }
    if (admitted) {
      admitted = false;
      loop.admission().leave(bufferedBytes);
    }
  }

  /** Makes this the last exchange on its connection. */
  void closeConnection() {
    closesConnection = true;
  }

  /** Returns the header field with the trace of this request, or null. */
  @Nullable String traceParent() {
    return request.getHeader(TraceContext.HEADER);
  }

  /** Logs a decision about the described request if it is a denial. */
  void logDenial(LimitCheck check, RateLimitResult result) {
    if (!result.allowed()) {
      loop.denials().decided(check, result, traceParent());
    }
  }

  /** Responds with a decision as JSON, as {@code /v1/check} does. */
  void decision(HttpDecision decision, CharSequence json) {
    putHeaders(decision);
    send(decision.status(), JSON, Buffer.buffer(json.toString()));
  }

  private void putHeaders(HttpDecision decision) {
    HttpServerResponse response = request.response();
    decision.forEachHeader(
        (name, value) -> response.putHeader(DECISION_FIELDS.getOrDefault(name, name), value));
  }

  /** Responds as forward-auth does: an empty body if allowed, else a problem document. */
  void forwardAuth(HttpDecision decision) {
    putHeaders(decision);
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
    if (responded) {
      return;
    }
    if (problem.status() == 503) {
      request.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
    }
    problem.headers().forEach(request.response()::putHeader);
    send(problem.status(), PROBLEM_JSON, Buffer.buffer(problem.problem().toJson()));
  }

  private void send(int status, @Nullable CharSequence type, Buffer body) {
    if (responded) {
      return;
    }
    responded = true;
    loop.timers().record(request.method().name(), uri, status, System.nanoTime() - startNanos);
    HttpServerResponse response = request.response();
    if (response.closed()) {
      leave();
      return;
    }
    response.setStatusCode(status);
    if (type != null) {
      response.putHeader(HttpHeaders.CONTENT_TYPE, type);
    }
    if (connection.isHttp2()) {
      sendOverHttp2(response, body);
    } else if (loop.drain().hasBegun() && connection.unanswered() == 1) {
      // Further requests may have been sent already; the response to the last one says "close".
      loop.after(LAST_RESPONSE_DELAY, () -> sendOverHttp1(response, body));
    } else {
      sendOverHttp1(response, body);
    }
  }

  private void sendOverHttp2(HttpServerResponse response, Buffer body) {
    leave();
    loop.unsent().add(this, System.nanoTime());
    response
        .end(body)
        .onComplete(
            sent -> {
              loop.unsent().remove(this);
              if (sent.succeeded() && !request.isEnded()) {
                discardBody();
              }
            });
  }

  /**
   * Reads the rest of a body that is not needed. Clients that are still sending it lose the
   * response if the stream is reset, although NO_ERROR asks them to use it (RFC 9113, 8.1).
   */
  private void discardBody() {
    discardsBody = true;
    connection.beginDiscarding();
    loop.discarding().add(this, System.nanoTime());
    request
        .handler(chunk -> discard(chunk.length()))
        .endHandler(nothing -> endDiscarding())
        .exceptionHandler(lost -> endDiscarding());
  }

  private void discard(int bytes) {
    if (discardsBody) {
      discardedBytes += bytes;
      if (!connection.discardBody(bytes) || discardedBytes > MAX_DISCARDED_BODY) {
        stopBody();
      }
    }
  }

  /** Resets the stream of a client that sends more of a body than is discarded. */
  void stopBody() {
    endDiscarding();
    request.response().reset(Http2Error.NO_ERROR.code());
  }

  private void endDiscarding() {
    if (discardsBody) {
      discardsBody = false;
      loop.discarding().remove(this);
      connection.endDiscarding();
    }
  }

  private void sendOverHttp1(HttpServerResponse response, Buffer body) {
    boolean unread = !request.isEnded() && hasBody();
    // A large body is not read, so the connection cannot be reused.
    boolean last =
        closesConnection
            || (unread && !isSmall())
            || (loop.drain().hasBegun() && connection.unanswered() == 1);
    leave();
    if (last) {
      connection.beginLastResponse();
      response.putHeader(HttpHeaders.CONNECTION, CLOSE);
      response.end(body).onComplete(sent -> connection.closeGracefully());
    } else {
      response.end(body);
      if (unread) {
        loop.after(loop.bodies().timeout(), this::closeUnlessRead);
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
    return length != null && !JsonBody.exceeds(length, MAX_IGNORED_BODY);
  }

  private void closeUnlessRead() {
    if (!request.isEnded()) {
      connection.abort();
    }
  }
}
