package dev.redline.server.management;

import dev.redline.core.internal.http.ProblemDetails;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/**
 * Responds with a problem document to requests that Tomcat rejects by itself, such as one with a
 * path that cannot be decoded. Tomcat's own error page is HTML, unlike all other errors of the
 * service.
 */
public final class ProblemReportValve extends ErrorReportValve {
  @Override
  protected void report(Request request, Response response, @Nullable Throwable failure) {
    int status = response.getStatus();
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    String detail =
        status < 500 ? "this is not a valid request" : "internal error; see the log of the service";
    byte[] body = ProblemDetails.of(status, detail).toJson().getBytes(StandardCharsets.UTF_8);
    try {
      response.setContentType(ProblemDetails.MEDIA_TYPE);
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
      response.finishResponse();
    } catch (IOException | IllegalStateException e) {
      System.getLogger(ProblemReportValve.class.getName())
          .log(
              System.Logger.Level.DEBUG, "the client closed the connection before the response", e);
    }
  }
}
