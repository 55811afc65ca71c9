package dev.redline.spring.webflux;

import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
import java.nio.charset.StandardCharsets;
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
    ServerHttpResponse response = exchange.getResponse();
    if (response.isCommitted()
        || !RateLimitHttp.replaces(result, exchange.getAttribute(RateLimitHttp.RESULT))) {
      return;
    }
    exchange.getAttributes().put(RateLimitHttp.RESULT, result);
    http.forEachHeader(result, retry, response.getHeaders()::set);
    expose(exchange);
  }

  /** Sends the response to a denied request; fails if a response is under way already. */
  Mono<Void> deny(ServerWebExchange exchange, RateLimitResult result) {
    DenialResponse denial = http.denial(result);
    ServerHttpResponse response = exchange.getResponse();
    if (!response.setStatusCode(HttpStatusCode.valueOf(denial.status()))) {
      return Mono.error(new IllegalStateException("the response is committed"));
    }
    exchange.getAttributes().put(RateLimitHttp.RESULT, result);
    HttpHeaders headers = response.getHeaders();
    denial.headers().forEach(headers::set);
    expose(exchange);
    byte[] body = denial.body().getBytes(StandardCharsets.UTF_8);
    headers.setContentLength(body.length);
    if (body.length == 0) {
      return response.setComplete();
    }
    headers.set(HttpHeaders.CONTENT_TYPE, denial.contentType());
    DataBuffer buffer = response.bufferFactory().wrap(body);
    return response.writeWith(Mono.just(buffer));
  }

  /** Lets scripts of other origins read the fields; the application decides which origins. */
  private void expose(ServerWebExchange exchange) {
    HttpHeaders headers = exchange.getResponse().getHeaders();
    String exposed = http.exposedHeaders();
    if (exchange.getRequest().getHeaders().getFirst(HttpHeaders.ORIGIN) != null
        && !exposed.equals(headers.getFirst(RateLimitHttp.EXPOSE))) {
      headers.add(RateLimitHttp.EXPOSE, exposed);
    }
  }
}
