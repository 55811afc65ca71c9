package dev.redline.server.admin;

import dev.redline.server.access.Caller;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.access.TokenAuthenticator.Accepted;
import dev.redline.server.access.TokenAuthenticator.Authentication;
import dev.redline.server.access.TokenAuthenticator.Rejected;
import dev.redline.server.management.UnreadBodyValve;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Servlet filter that authenticates and authorizes requests to the admin API: reading needs any
 * valid token, changes need a token of role editor.
 *
 * <p>Every method but GET and HEAD counts as a change, except {@code POST validate}. The filter
 * stores the {@link Caller} as a request attribute, which every endpoint requires: an endpoint that
 * the filter does not cover fails instead of being open.
 */
final class AdminAuthenticator implements Filter {
  /** The request attribute that holds the {@link Caller}. */
  static final String CALLER = "dev.redline.caller";

  private static final Set<String> READ_METHODS = Set.of("GET", "HEAD");
  private static final String VALIDATE = AdminPaths.ROOT + "/validate";
  private static final String OPENAPI = AdminPaths.ROOT + "/openapi.json";

  private final TokenAuthenticator authenticator;
  private final Duration bodyTimeout;

  AdminAuthenticator(TokenAuthenticator authenticator, Duration bodyTimeout) {
    this.authenticator = authenticator;
    this.bodyTimeout = bodyTimeout;
  }

  @Override
  public void doFilter(
      ServletRequest servletRequest, ServletResponse servletResponse, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest request = (HttpServletRequest) servletRequest;
    HttpServletResponse response = (HttpServletResponse) servletResponse;
    if (request.getServletPath().equals(OPENAPI)) {
      chain.doFilter(request, response);
      return;
    }
    Authentication result =
        authenticator.authenticate(request.getHeader("Authorization"), request.getRemoteAddr());
    if (result instanceof Rejected rejected) {
      BodyReader.reject(
          request, response, rejected.status(), rejected.headers(), rejected.detail());
      return;
    }
    Caller caller = ((Accepted) result).caller();
    boolean reads =
        READ_METHODS.contains(request.getMethod()) || request.getServletPath().equals(VALIDATE);
    if (!reads && !caller.mayChange()) {
      BodyReader.reject(
          request,
          response,
          403,
          Map.of(),
          "the token '" + caller.name() + "' has role viewer; changes need role editor");
      return;
    }
    request.setAttribute(CALLER, caller);
    if (UnreadBodyValve.hasBody(request)) {
      BodyReader.start(request, response, bodyTimeout);
    } else {
      chain.doFilter(request, response);
    }
  }
}
