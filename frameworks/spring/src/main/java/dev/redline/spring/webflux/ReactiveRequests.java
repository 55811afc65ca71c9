package dev.redline.spring.webflux;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.RequestDetails;
import dev.redline.core.key.RequestContext;
import dev.redline.spring.web.AuthenticatedUser;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Describes the requests of WebFlux to rules. The path is the one within the application, as it was
 * sent: the normal form that rules match is made from every spelling. Thread-safe.
 *
 * @param identity how the client is found
 * @param customizers what adds to the description
 */
public record ReactiveRequests(
    ClientIdentity identity, List<ReactiveRequestContextCustomizer> customizers) {
  /** Copies the list. */
  public ReactiveRequests {
    customizers = List.copyOf(customizers);
  }

  /** Returns the normalised path by which filters choose requests. */
  static String path(ServerHttpRequest request) {
    return RequestContext.builder().path(rawPath(request)).build().normalizedPath();
  }

  private static String rawPath(ServerHttpRequest request) {
    String path = request.getURI().getRawPath();
    String application = request.getPath().contextPath().value();
    if (path == null || path.isEmpty()) {
      return "/";
    }
    return application.isEmpty() || !path.startsWith(application)
        ? path
        : path.substring(application.length());
  }

  /** Describes a request. */
  public Mono<RequestContext> describe(ServerWebExchange exchange) {
    return exchange
        .<Principal>getPrincipal()
        .map(Optional::of)
        .defaultIfEmpty(Optional.empty())
        .flatMap(principal -> describe(exchange, principal.orElse(null)));
  }

  private Mono<RequestContext> describe(ServerWebExchange exchange, @Nullable Principal principal) {
    RequestContext.Builder context = context(exchange.getRequest(), principal);
    if (customizers.isEmpty()) {
      return Mono.just(context.build());
    }
    RequestDetails details = new RequestDetails(context);
    Mono<Void> customized = Mono.empty();
    for (ReactiveRequestContextCustomizer customizer : customizers) {
      customized = customized.then(Mono.defer(() -> customizer.customize(details, exchange)));
    }
    return customized.then(Mono.fromSupplier(context::build));
  }

  private RequestContext.Builder context(ServerHttpRequest request, @Nullable Principal principal) {
    RequestContext.Builder context =
        RequestContext.builder()
            .path(rawPath(request))
            .method(request.getMethod().name())
            .apiKey(ClientIdentity.apiKey(values(request, identity.apiKeyHeader()).iterator()));
    identity.identify(
        context,
        AuthenticatedUser.name(principal),
        () -> values(request, ClientIdentity.AUTHORIZATION));
    request
        .getHeaders()
        .forEach(
            (name, values) -> {
              for (String value : values) {
                context.header(name, value);
              }
            });
    return context.clientAddress(identity.address(peer(request), forwardedFor(request)));
  }

  private List<String> forwardedFor(ServerHttpRequest request) {
    return identity.proxies().blocks().isEmpty()
        ? List.of()
        : values(request, ClientIdentity.FORWARDED_FOR);
  }

  /** Returns the values of a header; Spring 6 and 7 have no method in common for it. */
  private static List<String> values(ServerHttpRequest request, String header) {
    List<String> found = new ArrayList<>();
    request
        .getHeaders()
        .forEach(
            (name, values) -> {
              if (name.equalsIgnoreCase(header)) {
                found.addAll(values);
              }
            });
    return found;
  }

  /** Returns an address that Spring took from a header and did not resolve; IPv6 is in brackets. */
  private static String literal(String host) {
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  private static @Nullable String peer(ServerHttpRequest request) {
    InetSocketAddress remote = request.getRemoteAddress();
    if (remote == null) {
      return null;
    }
    InetAddress address = remote.getAddress();
    return address == null ? literal(remote.getHostString()) : address.getHostAddress();
  }
}
