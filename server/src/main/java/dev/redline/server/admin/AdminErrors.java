package dev.redline.server.admin;

import dev.redline.core.UnknownNameException;
import dev.redline.core.internal.http.ProblemDetails;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/** Maps the exceptions of admin endpoints to problem documents (RFC 9457). */
@RestControllerAdvice
class AdminErrors {
  private static final Logger LOG = System.getLogger(AdminErrors.class.getName());
  private static final MediaType PROBLEM = MediaType.parseMediaType(ProblemDetails.MEDIA_TYPE);

  @ExceptionHandler
  ResponseEntity<byte[]> problem(AdminProblem problem) {
    return respond(problem.status(), problem.detail(), AdminJson.of(problem.errors()));
  }

  @ExceptionHandler
  ResponseEntity<byte[]> unknown(UnknownNameException unknown) {
    return respond(404, String.valueOf(unknown.getMessage()), List.of());
  }

  @ExceptionHandler
  ResponseEntity<byte[]> repositoryFailed(UncheckedIOException failure) {
    LOG.log(Level.ERROR, "the rules could not be read or written", failure);
    return respond(503, "the rules could not be read or written; see the log", List.of());
  }

  /** The client closed the connection: there is no one to respond to, and nothing failed here. */
  @ExceptionHandler
  void disconnected(AsyncRequestNotUsableException lost) {
    LOG.log(Level.DEBUG, "the client closed the connection before the response", lost);
  }

  /** Handles errors that Spring found, which have a status, and internal errors. */
  @ExceptionHandler
  ResponseEntity<byte[]> failed(Exception failure) {
    if (!(failure instanceof ErrorResponse error)) {
      LOG.log(Level.ERROR, "a request failed", failure);
      return respond(500, "internal error; see the log of the service", List.of());
    }
    int status = error.getStatusCode().value();
    ResponseEntity<byte[]> response = respond(status, detail(failure, status), List.of());
    HttpHeaders headers = new HttpHeaders();
    headers.addAll(error.getHeaders());
    headers.addAll(response.getHeaders());
    return ResponseEntity.status(status).headers(headers).body(response.getBody());
  }

  private static String detail(Exception failure, int status) {
    if (failure instanceof HttpRequestMethodNotSupportedException wrong) {
      return wrong.getMethod() + " is not allowed here";
    }
    return switch (status) {
      case 404 -> "there is nothing here; see " + AdminPaths.ROOT + "/openapi.json";
      case 406 -> "only application/json is available";
      case 415 -> "the content type is not supported";
      default -> "the request is not valid";
    };
  }

  private static ResponseEntity<byte[]> respond(
      int status, String detail, List<Map<String, Object>> errors) {
    ProblemDetails problem = ProblemDetails.of(status, detail);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", problem.type());
    body.put("title", problem.title());
    body.put("status", status);
    body.put("detail", detail);
    if (!errors.isEmpty() || status == 400) {
      body.put("errors", errors);
    }
    ResponseEntity.BodyBuilder response = ResponseEntity.status(status).contentType(PROBLEM);
    if (status == 503) {
      response.header(HttpHeaders.RETRY_AFTER, "1");
    }
    return response.body(AdminJson.MAPPER.writeValueAsBytes(body));
  }
}
