package dev.redline.server.management;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;

/**
 * Hides request bodies from the actuator, which would read them even for a GET.
 *
 * <p>The actuator has no authentication: without this filter, a few clients that send slow bodies
 * could occupy all threads, and a malformed body would be an internal error.
 */
final class IgnoredBodyFilter implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    chain.doFilter(new WithoutBody((HttpServletRequest) request), response);
  }

  private static final class WithoutBody extends HttpServletRequestWrapper {
    WithoutBody(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() {
      return new NoBytes();
    }
  }

  private static final class NoBytes extends ServletInputStream {
    @Override
    public int read() {
      return -1;
    }

    @Override
    public boolean isFinished() {
      return true;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw new IllegalStateException("the actuator reads no bodies");
    }
  }
}
