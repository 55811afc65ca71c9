package dev.redline.deploy.gateway;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

@Component
class RedlineFilter implements GlobalFilter {
  /** The header fields of clients that Redline gets: those that rules use, and no others. */
  private static final List<String> PASSED = List.of("X-API-Key", "Authorization", "traceparent");

  private static final List<String> RETURNED =
      List.of(
          "X-RateLimit-Limit",
          "X-RateLimit-Remaining",
          "X-RateLimit-Reset",
          "Retry-After",
          "Content-Type");

  private final WebClient redline;
  private final boolean failOpen;

  RedlineFilter(
      @Value("${redline.uri:http://127.0.0.1:8080}") String uri,
      @Value("${redline.fail-open:false}") boolean failOpen) {
    this.redline = WebClient.create(uri);
    this.failOpen = failOpen;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    return redline
        .get()
        .uri("/v1/forward-auth")
        .headers(fields -> describe(exchange.getRequest(), fields))
        .exchangeToMono(response -> response.toEntity(byte[].class))
        .timeout(Duration.ofSeconds(1))
        .onErrorReturn(ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).build())
        .flatMap(decision -> apply(decision, exchange, chain));
  }

  private static void describe(ServerHttpRequest request, HttpHeaders fields) {
    for (String name : PASSED) {
      String value = request.getHeaders().getFirst(name);
      if (value != null) {
        fields.set(name, value);
      }
    }
    URI uri = request.getURI();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    fields.set("X-Forwarded-Method", request.getMethod().name());
    fields.set("X-Forwarded-Uri", uri.getRawPath() + query);
    fields.set("X-Forwarded-For", request.getRemoteAddress().getAddress().getHostAddress());
  }

  private Mono<Void> apply(
      ResponseEntity<byte[]> decision, ServerWebExchange exchange, GatewayFilterChain chain) {
    ServerHttpResponse response = exchange.getResponse();
    if (decision.getStatusCode().is5xxServerError() && failOpen) {
      return chain.filter(exchange);
    }
    for (String name : RETURNED) {
      String value = decision.getHeaders().getFirst(name);
      if (value != null) {
        response.getHeaders().set(name, value);
      }
    }
    if (decision.getStatusCode().is2xxSuccessful()) {
      return chain.filter(exchange);
    }
    response.setStatusCode(decision.getStatusCode());
    byte[] body = decision.getBody() == null ? new byte[0] : decision.getBody();
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}
