package dev.redline.server.management;

import dev.redline.core.internal.http.ProblemDetails;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/**
 * Answers with a problem document what is refused before any of our code sees it, such as a path
 * that cannot be decoded; a page in HTML would be all that speaks another language here.
 */
public final class ProblemReportValve extends ErrorReportValve {
  @Override
  protected void report(Request request, Response response, @Nullable Throwable failure) {
    int status = response.getStatus();
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    String detail =
        status < 500
            ? "this is not a valid request"
            : "the service failed to answer; its log says why";
    byte[] body = ProblemDetails.of(status, detail).toJson().getBytes(StandardCharsets.UTF_8);
    try {
      response.setContentType(ProblemDetails.MEDIA_TYPE);
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
      response.finishResponse();
    } catch (IOException | IllegalStateException e) {
      System.getLogger(ProblemReportValve.class.getName())
          .log(System.Logger.Level.DEBUG, "the client did not wait for its error", e);
    }
  }
}
