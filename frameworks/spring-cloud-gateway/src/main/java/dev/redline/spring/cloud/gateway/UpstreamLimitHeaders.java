package dev.redline.spring.cloud.gateway;

import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;

/**
 * Keeps one set of rate limit headers in a response if the upstream limits too: that of a denial,
 * else the one with the smallest share left. The gateway would send both.
 */
final class UpstreamLimitHeaders implements HttpHeadersFilter {
  private static final String LIMIT = "X-RateLimit-Limit";
  private static final String REMAINING = "X-RateLimit-Remaining";
  private static final Set<String> FIELDS = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    FIELDS.addAll(
        List.of(
            LIMIT,
            REMAINING,
            "X-RateLimit-Reset",
            "X-RateLimit-Retry-After",
            "RateLimit-Policy",
            "RateLimit"));
  }

  @Override
  public boolean supports(Type type) {
    return type == Type.RESPONSE;
  }

  @Override
  public HttpHeaders filter(HttpHeaders upstream, ServerWebExchange exchange) {
    RateLimitResult result = exchange.getAttribute(RateLimitHttp.RESULT);
    if (result == null || FIELDS.stream().allMatch(name -> upstream.getFirst(name) == null)) {
      return upstream;
    }
    if (exchange.getResponse().getStatusCode() == HttpStatus.TOO_MANY_REQUESTS
        || share(upstream) < share(result)) {
      HttpHeaders response = exchange.getResponse().getHeaders();
      HttpHeaders kept = withoutFields(response);
      response.clear();
      kept.forEach((name, values) -> values.forEach(value -> response.add(name, value)));
      return upstream;
    }
    return withoutFields(upstream);
  }

  private static HttpHeaders withoutFields(HttpHeaders headers) {
    HttpHeaders kept = new HttpHeaders();
    headers.forEach(
        (name, values) -> {
          if (!FIELDS.contains(name)) {
            values.forEach(value -> kept.add(name, value));
          }
        });
    return kept;
  }

  private static double share(RateLimitResult result) {
    return result.limitOrAbsent() == RateLimitResult.ABSENT
        ? Double.POSITIVE_INFINITY
        : (double) result.remainingOrAbsent() / result.limitOrAbsent();
  }

  /** Returns the share left in the upstream; a share without numbers is never the smallest. */
  private static double share(HttpHeaders upstream) {
    double share = number(upstream.getFirst(REMAINING)) / number(upstream.getFirst(LIMIT));
    return Double.isNaN(share) ? Double.MAX_VALUE : share;
  }

  private static double number(@Nullable String text) {
    return text != null && text.matches("[0-9]{1,18}") ? Long.parseLong(text) : Double.NaN;
  }
}
