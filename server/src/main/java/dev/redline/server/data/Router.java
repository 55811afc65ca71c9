package dev.redline.server.data;

import dev.redline.server.access.CallerAuthenticator;
import dev.redline.server.access.CallerAuthenticator.DataCaller;
import dev.redline.server.access.CallerLimit;
import dev.redline.server.data.connection.ConnectionGuard;
import dev.redline.server.data.connection.UnsupportedVersionException;
import dev.redline.server.logging.RequestFailureLog;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches the requests of one event loop to their endpoints by path and method. This is the
 * entry of the data plane.
 */
final class Router implements Handler<HttpServerRequest> {
  private static final String UNKNOWN_PATH = "UNKNOWN";
  private static final byte[] NO_BODY = {};
  private static final CharSequence TOKEN_HEADER =
      HttpHeaders.createOptimized(CallerAuthenticator.TOKEN_HEADER);

  private final Map<String, Route> routes = new HashMap<>();
  private final String paths;
  private final CallerAuthenticator callers;
  private final CallerLimit callerLimit;
  private final EventLoopState loop;

  Router(
      List<Route> routes,
      CallerAuthenticator callers,
      CallerLimit callerLimit,
      EventLoopState loop) {
    routes.forEach(route -> this.routes.put(route.path(), route));
    this.paths = String.join(", ", routes.stream().map(Route::path).toList());
    this.callers = callers;
    this.callerLimit = callerLimit;
    this.loop = loop;
  }

  @Override
  public void handle(HttpServerRequest request) {
    ConnectionGuard connection = ConnectionGuard.of(request.connection());
    if (connection.isFinished()) {
      return;
    }
    if (connection.isWritable()) {
      dispatch(request, connection);
    } else {
      // The client does not read its responses, so no further ones are made for now.
      request.pause();
      connection.hold(
          () -> {
            dispatch(request, connection);
            request.resume();
          });
    }
  }

  private void dispatch(HttpServerRequest request, ConnectionGuard connection) {
    String path = request.path();
    Route route = path == null ? null : routes.get(path);
    Exchange exchange =
        new Exchange(request, route == null ? UNKNOWN_PATH : route.path(), loop, connection);
    HttpProblem denied = authenticate(route, exchange, connection);
    if (denied != null) {
      reject(exchange, denied);
    } else if (route == null) {
      reject(exchange, new HttpProblem(404, "there is nothing at '" + path + "'; see " + paths));
    } else if (!isAccepted(route, request.method())) {
      boolean reading = route.accepts() == Route.Accepts.GET;
      request.response().putHeader(HttpHeaders.ALLOW, reading ? "GET, HEAD" : "POST");
      String use = reading ? "GET" : "POST";
      reject(exchange, new HttpProblem(405, request.method() + " is not allowed; use " + use));
    } else if (route.accepts() == Route.Accepts.JSON) {
      readJson(route, exchange);
    } else if (exchange.admit()) {
      run(route.endpoint(), exchange, NO_BODY);
    } else {
      reject(exchange, overloaded());
    }
  }

  private @Nullable HttpProblem authenticate(
      @Nullable Route route, Exchange exchange, ConnectionGuard connection) {
    HttpServerRequest request = exchange.request();
    SocketAddress remote = request.remoteAddress();
    String address = remote == null ? null : remote.hostAddress();
    if (route != null && route.access() == Route.Access.OWN) {
      return limit(Optional.empty(), connection, address);
    }
    Optional<DataCaller> caller =
        callers.authenticate(
            request.getHeader(HttpHeaders.AUTHORIZATION), request.getHeader(TOKEN_HEADER), address);
    if (caller.isEmpty()) {
      return new HttpProblem(
          401,
          "a token of rl.server.auth.tokens is needed: Authorization: Bearer …, or "
              + CallerAuthenticator.TOKEN_HEADER,
          CallerAuthenticator.CHALLENGE);
    }
    exchange.authenticatedBy(caller.get().credential());
    return limit(caller.get().tokenName(), connection, address);
  }

  /** Returns the error for a caller that sends too many requests, or null. */
  private @Nullable HttpProblem limit(
      Optional<String> tokenName, ConnectionGuard connection, @Nullable String address) {
    if (!callerLimit.isSet()) {
      return null;
    }
    long seconds = callerLimit.secondsToWait(tokenName, connection::clientSubject, address);
    return seconds == 0
        ? null
        : new HttpProblem(
            503,
            "this caller sends more requests than rl.server.caller-limit allows; wait "
                + seconds
                + " s",
            Map.of("Retry-After", Long.toString(seconds)));
  }

  private static boolean isAccepted(Route route, HttpMethod method) {
    return switch (route.accepts()) {
      case JSON -> method.equals(HttpMethod.POST);
      case GET -> method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
      case ANY_METHOD -> true;
    };
  }

  private void readJson(Route route, Exchange exchange) {
    HttpServerRequest request = exchange.request();
    HttpProblem problem = JsonBody.checkHeaders(request);
    if (problem == null && !exchange.admit()) {
      problem = overloaded();
    }
    if (problem != null) {
      reject(exchange, problem);
      return;
    }
    new JsonBody(exchange, body -> run(route.endpoint(), exchange, body)).read();
  }

  static HttpProblem overloaded() {
    return new HttpProblem(503, "the service is overloaded; please retry");
  }

  /** Rejects a request before its body was read. */
  private static void reject(Exchange exchange, HttpProblem problem) {
    if (exchange.request().headers().contains(HttpHeaders.EXPECT)) {
      // The client waits for 100-continue and may send the body or not: the stream is ambiguous.
      exchange.closeConnection();
    }
    exchange.problem(problem);
  }

  /** Rejects bytes that are not a valid HTTP request. */
  void handleInvalid(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    ConnectionGuard connection = ConnectionGuard.of(request.connection());
    if (connection.isFinished()) {
      return;
    }
    Exchange exchange = new Exchange(request, UNKNOWN_PATH, loop, connection);
    exchange.closeConnection();
    exchange.problem(invalid(cause));
  }

  private static HttpProblem invalid(@Nullable Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return new HttpProblem(414, "the request line is too long");
    }
    if (cause instanceof TooLongHttpHeaderException || cause instanceof TooLongFrameException) {
      return new HttpProblem(431, "the header fields are too large");
    }
    if (cause instanceof UnsupportedVersionException) {
      return new HttpProblem(505, cause.getMessage() + " is not supported; use HTTP/1.1 or HTTP/2");
    }
    return new HttpProblem(400, "this is not a valid HTTP request");
  }

  private static void run(Endpoint endpoint, Exchange exchange, byte[] body) {
    try {
      endpoint.handle(exchange, body);
    } catch (RuntimeException | Error e) {
      sendFailure(exchange, e);
    }
  }

  /** Responds with the error that a failure is, else with 500. */
  static void sendFailure(Exchange exchange, Throwable failure) {
    if (failure instanceof HttpProblem problem) {
      exchange.problem(problem);
    } else {
      sendInternalError(exchange, failure);
    }
  }

  /** Responds with 500 and logs the cause. */
  static void sendInternalError(Exchange exchange, Throwable cause) {
    exchange.problem(internalError(exchange.traceParent(), cause));
  }

  /** Logs an internal failure; the response does not contain its cause. */
  static HttpProblem internalError(@Nullable String traceParent, Throwable cause) {
    RequestFailureLog.failed(traceParent, cause);
    return new HttpProblem(500, "internal error; see the log of the service");
  }
}
