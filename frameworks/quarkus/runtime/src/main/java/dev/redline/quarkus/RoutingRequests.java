package dev.redline.quarkus;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.RequestDetails;
import dev.redline.core.internal.path.PathNormalizer;
import dev.redline.core.key.RequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Describes HTTP requests to rules. The path is the one within the application. Thread-safe.
 *
 * @param identity how the client is found
 * @param rootPath {@code quarkus.http.root-path}, with or without slashes at its ends
 * @param customizers what adds to the description
 */
record RoutingRequests(
    ClientIdentity identity, String rootPath, List<RoutingRequestCustomizer> customizers) {
  /** Copies the list. */
  RoutingRequests {
    customizers = List.copyOf(customizers);
  }

  /**
   * Returns the path below the root path, in normal form: clients may spell the root path in any
   * way that Vert.x understands.
   */
  String path(RoutingContext routing) {
    String sent = routing.request().path();
    String path = sent == null ? "/" : sent;
    String below = PathNormalizer.within(path, rootPath);
    return below == null ? PathNormalizer.normalize(path) : below;
  }

  /** Describes a request. */
  RequestContext describe(RoutingContext routing) {
    HttpServerRequest request = routing.request();
    RequestContext.Builder context =
        RequestContext.builder()
            .path(path(routing))
            .method(request.method().name())
            .clientAddress(
                identity.address(
                    peer(request), request.headers().getAll(ClientIdentity.FORWARDED_FOR)))
            .apiKey(
                ClientIdentity.apiKey(
                    request.headers().getAll(identity.apiKeyHeader()).iterator()));
    identity.identify(
        context, user(routing), () -> request.headers().getAll(ClientIdentity.AUTHORIZATION));
    for (Map.Entry<String, String> header : request.headers()) {
      context.header(header.getKey(), header.getValue());
    }
    if (!customizers.isEmpty()) {
      RequestDetails details = new RequestDetails(context);
      for (RoutingRequestCustomizer customizer : customizers) {
        customizer.customize(details, routing);
      }
    }
    return context.build();
  }

  private static @Nullable String user(RoutingContext routing) {
    if (!(routing.user() instanceof QuarkusHttpUser user)) {
      return null;
    }
    SecurityIdentity identity = user.getSecurityIdentity();
    return identity.isAnonymous() ? null : identity.getPrincipal().getName();
  }

  private static @Nullable String peer(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    return remote == null ? null : remote.hostAddress();
  }
}
