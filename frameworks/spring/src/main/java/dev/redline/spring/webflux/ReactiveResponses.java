package dev.redline.spring.webflux;

import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.LimitedResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.ProblemDetails;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Writes decisions to the responses of WebFlux. Thread-safe.
 *
 * @param http how decisions look in HTTP
 */
public record ReactiveResponses(RateLimitHttp http) {

  /** Sets the headers of a result, unless the response has those of a more important one. */
  public void addHeaders(ServerWebExchange exchange, RateLimitResult result) {
    addHeaders(exchange, result, true);
  }

  /** Sets the headers of a result, with or without those that say when to retry. */
  void addHeaders(ServerWebExchange exchange, RateLimitResult result, boolean retry) {
    http.write(result, retry, new LimitedExchange(exchange));
  }

  /** Sends the response to a denied request; fails if a response is under way already. */
  Mono<Void> deny(ServerWebExchange exchange, RateLimitResult result) {
    DenialResponse denial = http.denial(result);
    ServerHttpResponse response = exchange.getResponse();
    if (!response.setStatusCode(HttpStatusCode.valueOf(denial.status()))) {
      return Mono.error(new IllegalStateException("the response is committed"));
    }
    http.write(denial, new LimitedExchange(exchange));
    HttpHeaders headers = response.getHeaders();
    byte[] body = denial.body().getBytes(StandardCharsets.UTF_8);
    headers.setContentLength(body.length);
    if (body.length == 0) {
      return response.setComplete();
    }
    headers.set(HttpHeaders.CONTENT_TYPE, denial.contentType());
    DataBuffer buffer = response.bufferFactory().wrap(body);
    return response.writeWith(Mono.just(buffer));
  }

  /** Sends the response to a request that cannot be decided; fails if one is under way already. */
  Mono<Void> reject(ServerWebExchange exchange, OversizedRequestException problem) {
    ServerHttpResponse response = exchange.getResponse();
    if (!response.setStatusCode(HttpStatusCode.valueOf(OversizedRequestException.STATUS))) {
      return Mono.error(new IllegalStateException("the response is committed"));
    }
    byte[] body =
        ProblemDetails.of(OversizedRequestException.STATUS, String.valueOf(problem.getMessage()))
            .toJson()
            .getBytes(StandardCharsets.UTF_8);
    response.getHeaders().setContentLength(body.length);
    response.getHeaders().set(HttpHeaders.CONTENT_TYPE, ProblemDetails.MEDIA_TYPE);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }

  /** The header fields of a response. */
  private record LimitedExchange(ServerWebExchange exchange) implements LimitedResponse {
    @Override
    public boolean isCommitted() {
      return exchange.getResponse().isCommitted();
    }

    @Override
    public @Nullable Object result() {
      return exchange.getAttribute(RateLimitHttp.RESULT);
    }

    @Override
    public void result(RateLimitResult result) {
      exchange.getAttributes().put(RateLimitHttp.RESULT, result);
    }

    @Override
    public void set(String name, String value) {
      exchange.getResponse().getHeaders().set(name, value);
    }

    /** Sets the others again: no method that removes a field is in Spring 6 and in Spring 7. */
    @Override
    public void remove(Set<String> names) {
      HttpHeaders headers = exchange.getResponse().getHeaders();
      HttpHeaders others = new HttpHeaders();
      headers.forEach(
          (name, values) -> {
            if (!names.contains(name)) {
              values.forEach(value -> others.add(name, value));
            }
          });
      headers.clear();
      others.forEach((name, values) -> values.forEach(value -> headers.add(name, value)));
    }

    @Override
    public void expose(String names) {
      HttpHeaders headers = exchange.getResponse().getHeaders();
      if (exchange.getRequest().getHeaders().getFirst(HttpHeaders.ORIGIN) != null
          && !names.equals(headers.getFirst(RateLimitHttp.EXPOSE))) {
        headers.add(RateLimitHttp.EXPOSE, names);
      }
    }
  }
}
