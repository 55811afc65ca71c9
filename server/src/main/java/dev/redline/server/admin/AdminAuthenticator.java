package dev.redline.server.admin;

import dev.redline.server.access.Caller;
import dev.redline.server.access.TokenAuthenticator;
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
 * Lets in whoever shows a token: to look with any, to change something with an editor's.
 *
 * <p>Everything but reading counts as a change unless said otherwise here. The caller becomes an
 * attribute of the request, without which no endpoint can be called.
 */
final class AdminAuthenticator implements Filter {
  /** The request attribute that holds the {@link Caller}. */
  static final String CALLER = "dev.redline.caller";

  private static final Set<String> READING = Set.of("GET", "HEAD");
  private static final String VALIDATE = AdminPaths.ROOT + "/validate";
  private static final String OPENAPI = AdminPaths.ROOT + "/openapi.json";

  private final TokenAuthenticator gate;
  private final Duration bodyTimeout;

  AdminAuthenticator(TokenAuthenticator gate, Duration bodyTimeout) {
    this.gate = gate;
    this.bodyTimeout = bodyTimeout;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest asked = (HttpServletRequest) request;
    HttpServletResponse answer = (HttpServletResponse) response;
    if (asked.getServletPath().equals(OPENAPI)) {
      chain.doFilter(request, response);
      return;
    }
    TokenAuthenticator.Answer knocked =
        gate.knock(asked.getHeader("Authorization"), asked.getRemoteAddr());
    if (knocked.caller().isEmpty()) {
      BodyReader.deny(asked, answer, knocked.status(), knocked.headers(), knocked.detail());
      return;
    }
    Caller caller = knocked.caller().get();
    boolean reads = READING.contains(asked.getMethod()) || asked.getServletPath().equals(VALIDATE);
    if (!reads && !caller.mayChange()) {
      BodyReader.deny(
          asked, answer, 403, Map.of(), "the token '" + caller.name() + "' may look, not change");
      return;
    }
    asked.setAttribute(CALLER, caller);
    if (BodyReader.hasBody(asked)) {
      BodyReader.start(asked, answer, bodyTimeout);
    } else {
      chain.doFilter(request, response);
    }
  }
}
