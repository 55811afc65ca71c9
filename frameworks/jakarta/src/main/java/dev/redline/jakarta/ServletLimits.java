package dev.redline.jakarta;

import dev.redline.application.WebFilterSettings;
import dev.redline.binding.servlet.ServletExchange;
import dev.redline.binding.servlet.ServletRateLimitFilter;
import dev.redline.binding.servlet.ServletRequestContextCustomizer;
import dev.redline.binding.servlet.ServletRequests;
import dev.redline.binding.servlet.ServletResponses;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The filters of {@code rl.filter.*} and {@code rl.filters.<name>.*} as one filter of the servlet
 * container, which cannot order them itself. The container creates it before CDI has started, so it
 * looks for the application when there are requests.
 */
final class ServletLimits implements Filter {
  private final IntPredicate orders;
  private volatile @Nullable Limits limits;

  /**
   * Creates the filter.
   *
   * @param orders the filters that belong to this one, by their order
   */
  ServletLimits(IntPredicate orders) {
    this.orders = orders;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Limits current = limits();
    if (current != null
        && request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse) {
      current.doFilter(http, httpResponse, chain);
    } else {
      chain.doFilter(request, response);
    }
  }

  /**
   * Returns the limits, or null while the application has no beans: CDI may start after the first
   * request, so an absence is not kept.
   */
  private @Nullable Limits limits() {
    Limits current = limits;
    if (current == null) {
      current = LimitedApplication.find().map(this::create).orElse(null);
      limits = current;
    }
    return current;
  }

  private Limits create(LimitedApplication application) {
    ServletRequests requests =
        new ServletRequests(
            application.clientIdentity(),
            ServletLimits::name,
            application.beans(ServletRequestContextCustomizer.class));
    ServletResponses responses = new ServletResponses(application.http());
    Map<String, WebFilterSettings> settings = new LinkedHashMap<>(application.settings().filters());
    settings.values().removeIf(each -> !each.enabled() || !orders.test(each.order()));
    List<ServletRateLimitFilter> filters = new ArrayList<>();
    settings.entrySet().stream()
        .sorted(Comparator.comparingInt(each -> each.getValue().order()))
        .forEach(
            each ->
                filters.add(
                    new ServletRateLimitFilter(
                        application.settings().limiterOf(each.getKey(), application.handler()),
                        each.getValue().paths(),
                        requests,
                        responses)));
    Collections.reverse(filters);
    return new Limits(application, requests, responses, filters);
  }

  private static @Nullable String name(@Nullable Principal principal) {
    return principal == null ? null : principal.getName();
  }

  /** The filters, the last one first. */
  private record Limits(
      LimitedApplication application,
      ServletRequests requests,
      ServletResponses responses,
      List<ServletRateLimitFilter> lastFirst) {
    void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain rest)
        throws IOException, ServletException {
      ServletExchange exchange = new ServletExchange(request, response, requests, responses);
      request.setAttribute(ServletExchange.class.getName(), exchange);
      application.open(exchange);
      FilterChain chain = rest;
      for (ServletRateLimitFilter filter : lastFirst) {
        FilterChain next = chain;
        chain = (each, eachResponse) -> filter.doFilter(each, eachResponse, next);
      }
      chain.doFilter(request, response);
    }
  }
}
