package dev.redline.jakarta;

import dev.redline.binding.servlet.ServletExchange;
import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.core.SecurityContext;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * A request of a REST resource. It is a property of the request, because a bean of the request
 * scope may be gone when an asynchronous method has its result.
 */
final class ResourceRequest implements CurrentRequest {
  private static final String PROPERTY = ResourceRequest.class.getName();

  private final ContainerRequestContext request;
  private final ClientIdentity identity;
  private final @Nullable ServletExchange exchange;
  private volatile @Nullable Decision decision;

  /** What was decided, and whether a fallback makes the response. */
  private record Decision(RateLimitResult result, boolean fallback) {}

  private ResourceRequest(ContainerRequestContext request, ClientIdentity identity) {
    this.request = request;
    this.identity = identity;
    // Set by the servlet filter: properties of requests are attributes of servlet requests.
    this.exchange =
        request.getProperty(ServletExchange.class.getName()) instanceof ServletExchange set
            ? set
            : null;
  }

  /** Creates it as a property of a request. */
  static ResourceRequest open(ContainerRequestContext request, ClientIdentity identity) {
    ResourceRequest opened = new ResourceRequest(request, identity);
    request.setProperty(PROPERTY, opened);
    return opened;
  }

  @Override
  public RequestContext describe() {
    SecurityContext security = request.getSecurityContext();
    Principal principal = security == null ? null : security.getUserPrincipal();
    if (exchange != null) {
      return exchange.requests().describe(exchange.request(), principal);
    }
    RequestContext.Builder context =
        RequestContext.builder()
            .path(request.getUriInfo().getRequestUri().getRawPath())
            .method(request.getMethod())
            .userId(principal == null ? null : principal.getName())
            .apiKey(request.getHeaderString(identity.apiKeyHeader()));
    request
        .getHeaders()
        .forEach((name, values) -> values.forEach(value -> context.header(name, value)));
    return context.build();
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    if (exchange != null) {
      // At once, so that the response to an exception that nothing maps has them too.
      exchange.decided(result, fallback);
    }
    Decision before = decision;
    if (RateLimitHttp.replaces(result, before == null ? null : before.result)) {
      decision = new Decision(result, fallback);
    }
  }

  /** Sets the header fields of the response to a request. */
  static void complete(
      ContainerRequestContext request, ContainerResponseContext response, RateLimitHttp http) {
    if (!(request.getProperty(PROPERTY) instanceof ResourceRequest opened)) {
      return;
    }
    Decision decided = opened.decision;
    if (decided == null) {
      return;
    }
    HttpServletResponse servlet = opened.exchange == null ? null : opened.exchange.response();
    if (servlet != null) {
      // The servlet response has them; some servers would send those of a denial twice.
      http.forEachHeader(
          decided.result,
          true,
          (name, value) -> {
            String own = response.getHeaderString(name);
            if (own != null) {
              servlet.setHeader(name, own);
              response.getHeaders().remove(name);
            }
          });
      return;
    }
    http.forEachHeader(decided.result, !decided.fallback, response.getHeaders()::putSingle);
    if (request.getHeaderString("Origin") != null) {
      response.getHeaders().add(RateLimitHttp.EXPOSE, http.exposedHeaders());
    }
  }
}
