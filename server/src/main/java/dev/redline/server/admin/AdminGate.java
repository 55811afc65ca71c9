package dev.redline.server.admin;

import dev.redline.core.http.Problem;
import dev.redline.server.access.Caller;
import dev.redline.server.access.Gate;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Lets in whoever shows a token: to look with any, to change something with an editor's.
 *
 * <p>Everything but reading counts as a change unless said otherwise here. The caller becomes an
 * attribute of the request, without which no endpoint can be called.
 */
final class AdminGate implements Filter {
  /** The request attribute that holds the {@link Caller}. */
  static final String CALLER = "dev.redline.caller";

  private static final Set<String> READING = Set.of("GET", "HEAD");
  private static final String VALIDATE = AdminPaths.ROOT + "/validate";
  private static final String OPENAPI = AdminPaths.ROOT + "/openapi.json";

  private final Gate gate;

  AdminGate(Gate gate) {
    this.gate = gate;
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
    Gate.Answer knocked = gate.knock(asked.getHeader("Authorization"), asked.getRemoteAddr());
    if (knocked.caller().isEmpty()) {
      knocked.headers().forEach(answer::setHeader);
      refuse(answer, knocked.status(), knocked.detail());
      return;
    }
    Caller caller = knocked.caller().get();
    boolean reads = READING.contains(asked.getMethod()) || asked.getServletPath().equals(VALIDATE);
    if (!reads && !caller.mayChange()) {
      refuse(answer, 403, "the token '" + caller.name() + "' may look, not change");
      return;
    }
    asked.setAttribute(CALLER, caller);
    chain.doFilter(request, response);
  }

  private static void refuse(HttpServletResponse answer, int status, String detail)
      throws IOException {
    answer.setStatus(status);
    answer.setContentType(Problem.MEDIA_TYPE);
    answer
        .getOutputStream()
        .write(Problem.of(status, detail).toJson().getBytes(StandardCharsets.UTF_8));
  }
}
