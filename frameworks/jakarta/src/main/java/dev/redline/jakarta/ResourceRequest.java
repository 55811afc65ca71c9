package dev.redline.jakarta;

import dev.redline.binding.servlet.ServletExchange;
import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.LimitedResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.SecurityContext;
import java.security.Principal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request of a REST resource. It is a property of the request, because a bean of the request
 * scope may be gone when an asynchronous method has its result.
 */
final class ResourceRequest implements CurrentRequest {
  /**
   * The field of a response that Redline made: the {@link DenialResponse}. It is not sent. A mapper
   * of exceptions does not know the request.
   */
  static final String DENIAL = "Redline-Denial";

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
    MultivaluedMap<String, String> headers = request.getHeaders();
    List<String> apiKeys = headers.getOrDefault(identity.apiKeyHeader(), List.of());
    RequestContext.Builder context =
        RequestContext.builder()
            .path(request.getUriInfo().getRequestUri().getRawPath())
            .method(request.getMethod())
            .apiKey(ClientIdentity.apiKey(apiKeys.iterator()));
    identity.identify(
        context,
        principal == null ? null : principal.getName(),
        () -> headers.getOrDefault(ClientIdentity.AUTHORIZATION, List.of()));
    headers.forEach((name, values) -> values.forEach(value -> context.header(name, value)));
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
    List<Object> marks = response.getHeaders().remove(DENIAL);
    Object mark = marks == null ? null : marks.get(0);
    ResourceRequest opened =
        request.getProperty(PROPERTY) instanceof ResourceRequest set ? set : null;
    ServletExchange exchange = opened == null ? null : opened.exchange;
    HttpServletResponse servlet = exchange == null ? null : exchange.response();
    Decision decided = opened == null ? null : opened.decision;
    if (mark instanceof DenialResponse denial) {
      if (exchange == null || servlet == null) {
        http.write(denial, new LimitedResource(request, response));
      } else {
        exchange.denied(denial);
      }
    } else if (decided != null) {
      if (servlet == null) {
        http.write(decided.result, !decided.fallback, new LimitedResource(request, response));
      } else {
        http.forEachHeader(decided.result, true, (name, value) -> move(name, response, servlet));
      }
    }
  }

  /**
   * Moves a field that a mapper of the application has set to the servlet response, which has that
   * of the decision already: some servers would send both.
   */
  private static void move(
      String name, ContainerResponseContext response, HttpServletResponse servlet) {
    String own = response.getHeaderString(name);
    if (own != null) {
      servlet.setHeader(name, own);
      response.getHeaders().remove(name);
    }
  }

  /** The header fields of a response without servlets, which are set once. */
  private record LimitedResource(ContainerRequestContext request, ContainerResponseContext response)
      implements LimitedResponse {
    @Override
    public boolean isCommitted() {
      return false;
    }

    @Override
    public @Nullable Object result() {
      return null;
    }

    @Override
    public void result(RateLimitResult result) {}

    @Override
    public void set(String name, String value) {
      response.getHeaders().putSingle(name, value);
    }

    @Override
    public void remove(Set<String> names) {
      names.forEach(response.getHeaders()::remove);
    }

    @Override
    public void expose(String names) {
      if (request.getHeaderString("Origin") != null) {
        response.getHeaders().add(RateLimitHttp.EXPOSE, names);
      }
    }
  }
}
