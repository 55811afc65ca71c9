package dev.redline.server.management;

import dev.redline.core.internal.http.ProblemDetails;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Reserves threads of the management port for the probes of liveness and readiness.
 *
 * <p>A client that does not read a large response blocks the thread that writes it. A few such
 * clients would delay the probes, and Kubernetes would restart a healthy process. Requests beyond
 * the limit get 503. The response of a probe is small enough to be buffered by the operating
 * system.
 */
final class ReservedThreadsValve extends ValveBase {
  private static final Set<String> PROBES =
      Set.of("/actuator/health/liveness", "/actuator/health/readiness");

  private final Semaphore others;

  /**
   * Creates a valve.
   *
   * @param others how many requests may have a thread at a time, probes not counted
   */
  ReservedThreadsValve(int others) {
    super(true);
    this.others = new Semaphore(others);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    if (PROBES.contains(request.getRequestURI())) {
      getNext().invoke(request, response);
      return;
    }
    if (!others.tryAcquire()) {
      reject(response);
      return;
    }
    try {
      getNext().invoke(request, response);
      if (!request.isAsync()) {
        // Tomcat would write the rest of the response later, when others may use the permit.
        response.finishResponse();
      }
    } finally {
      others.release();
    }
  }

  private static void reject(Response response) throws IOException {
    ProblemDetails problem =
        ProblemDetails.of(503, "too many requests of the management port are in progress");
    response.setStatus(problem.status());
    response.setHeader("Retry-After", "1");
    response.setContentType(ProblemDetails.MEDIA_TYPE);
    response.getOutputStream().write(problem.toJson().getBytes(StandardCharsets.UTF_8));
  }
}
