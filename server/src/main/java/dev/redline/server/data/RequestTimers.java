package dev.redline.server.data;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The timers {@code http.server.requests} of the data plane. Their tags are bounded: paths of
 * endpoints, methods of the HTTP specification, and status codes. A caller of forward-auth may
 * choose among 200 status codes; after {@value #MAX_TIMERS} timers, new ones have a status such as
 * {@code 4xx}.
 *
 * <p>Thread-safe. A combination is registered when it first occurs and found by one map lookup
 * after that.
 */
final class RequestTimers {
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

  private static final int MAX_TIMERS = 200;

  private record Kind(String method, String uri, int status) {}

  private final MeterRegistry registry;
  private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();

  RequestTimers(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Registers a timer before the first request, so that it is exported with the value 0. */
  void preregister(String method, String uri, int status) {
    timers.computeIfAbsent(new Kind(method, uri, status), this::register);
  }

  /**
   * Records a request.
   *
   * @param uri the path of an endpoint, or {@code UNKNOWN}
   */
  void record(String method, String uri, int status, long nanos) {
    Kind kind = new Kind(METHODS.contains(method) ? method : "OTHER", uri, status);
    Timer timer = timers.get(kind);
    if (timer == null) {
      timer = timers.computeIfAbsent(kind, this::register);
    }
    timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer register(Kind kind) {
    return Timer.builder("http.server.requests")
        .tag("method", kind.method)
        .tag("uri", kind.uri)
        .tag("status", status(kind.status))
        .tag("outcome", outcome(kind.status))
        .tag("plane", "data")
        .register(registry);
  }

  /** Micrometer returns the same timer for the same tags. */
  private String status(int status) {
    return timers.size() < MAX_TIMERS ? Integer.toString(status) : status / 100 + "xx";
  }

  private static String outcome(int status) {
    return switch (status / 100) {
      case 1 -> "INFORMATIONAL";
      case 2 -> "SUCCESS";
      case 3 -> "REDIRECTION";
      case 4 -> "CLIENT_ERROR";
      case 5 -> "SERVER_ERROR";
      default -> "UNKNOWN";
    };
  }
}
