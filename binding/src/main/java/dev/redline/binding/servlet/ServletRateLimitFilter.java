package dev.redline.binding.servlet;

import dev.redline.binding.web.FilterPaths;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Limits the requests of a servlet application by rules. To be mapped to the dispatcher type
 * REQUEST alone: a forward or an asynchronous dispatch belongs to a request that was counted.
 *
 * <p>The request's thread, platform or virtual, waits for a store that does I/O, and for a refill
 * where a rule says so. Redispatching an asynchronous request instead would skip every later filter
 * that is mapped to REQUEST alone, and so perhaps its authorization; the number of waiting threads
 * is bounded by {@code rl.wait-for-refill.max-concurrent-waits}.
 */
public final class ServletRateLimitFilter implements Filter {
  private final RequestLimiter limiter;
  private final FilterPaths paths;
  private final ServletRequests requests;
  private final ServletResponses responses;

  /** Creates a filter. */
  public ServletRateLimitFilter(
      RequestLimiter limiter,
      FilterPaths paths,
      ServletRequests requests,
      ServletResponses responses) {
    this.limiter = limiter;
    this.paths = paths;
    this.requests = requests;
    this.responses = responses;
  }

  @Override
  public void doFilter(ServletRequest any, ServletResponse anyResponse, FilterChain chain)
      throws IOException, ServletException {
    if (!(any instanceof HttpServletRequest request)
        || !(anyResponse instanceof HttpServletResponse response)
        || isPreflight(request)) {
      chain.doFilter(any, anyResponse);
      return;
    }
    RequestContext context = requests.describe(request);
    if (!paths.cover(context.normalizedPath())) {
      chain.doFilter(request, response);
      return;
    }
    RateLimitResult result;
    try {
      result = await(limiter.check(context));
    } catch (OversizedRequestException e) {
      responses.reject(response, e);
      return;
    }
    if (!result.allowed()) {
      responses.deny(request, response, result);
      return;
    }
    responses.addHeaders(request, response, result);
    chain.doFilter(request, response);
  }

  /** Returns whether a browser asks for permission to send the request itself later. */
  private static boolean isPreflight(HttpServletRequest request) {
    return "OPTIONS".equals(request.getMethod())
        && request.getHeader("Origin") != null
        && request.getHeader("Access-Control-Request-Method") != null;
  }

  private static RateLimitResult await(CompletableFuture<RateLimitResult> decision)
      throws IOException, ServletException {
    try {
      return decision.get();
    } catch (InterruptedException e) {
      decision.cancel(false);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a rate limit");
    } catch (CancellationException e) {
      throw new ServletException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new ServletException(e.getCause());
    }
  }
}
