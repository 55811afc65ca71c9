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

/** Answers what went wrong on the management port with a problem document. */
@RestControllerAdvice
class AdminErrors {
  private static final Logger LOG = System.getLogger(AdminErrors.class.getName());
  private static final MediaType PROBLEM = MediaType.parseMediaType(ProblemDetails.MEDIA_TYPE);

  @ExceptionHandler
  ResponseEntity<byte[]> refused(AdminProblem problem) {
    return answer(problem.status(), problem.detail(), AdminJson.of(problem.errors()));
  }

  @ExceptionHandler
  ResponseEntity<byte[]> unknown(UnknownNameException unknown) {
    return answer(404, String.valueOf(unknown.getMessage()), List.of());
  }

  @ExceptionHandler
  ResponseEntity<byte[]> unreachable(UncheckedIOException failure) {
    LOG.log(Level.ERROR, "the rules could not be read or written", failure);
    return answer(503, "the rules could not be read or written; the log says why", List.of());
  }

  /** A client that went away gets no answer, and is no failure of the service. */
  @ExceptionHandler
  void abandoned(AsyncRequestNotUsableException lost) {
    LOG.log(Level.DEBUG, "the client did not wait for its answer", lost);
  }

  /** What Spring refuses by itself, and what nobody expected. */
  @ExceptionHandler
  ResponseEntity<byte[]> failed(Exception failure) {
    if (!(failure instanceof ErrorResponse refusal)) {
      LOG.log(Level.ERROR, "a request failed", failure);
      return answer(500, "the service failed to answer; its log says why", List.of());
    }
    int status = refusal.getStatusCode().value();
    ResponseEntity<byte[]> answer = answer(status, detail(failure, status), List.of());
    HttpHeaders headers = new HttpHeaders();
    headers.addAll(refusal.getHeaders());
    headers.addAll(answer.getHeaders());
    return ResponseEntity.status(status).headers(headers).body(answer.getBody());
  }

  private static String detail(Exception failure, int status) {
    if (failure instanceof HttpRequestMethodNotSupportedException wrong) {
      return wrong.getMethod() + " is not allowed here";
    }
    return switch (status) {
      case 404 -> "there is nothing here; see " + AdminPaths.ROOT + "/openapi.json";
      case 406 -> "this comes as application/json only";
      case 415 -> "the content type is not supported";
      default -> "the request cannot be answered";
    };
  }

  private static ResponseEntity<byte[]> answer(
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
