package dev.redline.spring.cloud.gateway;

import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.spring.webflux.ReactiveResponses;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.AbstractConfigurable;
import org.springframework.context.ApplicationListener;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * The rate limiter of routes with the filter {@code RequestRateLimiter}: the engine decides for the
 * key of the route's key resolver, by a limit or a plan that the route names. The filter makes the
 * response, so a denial has the status that the route chose, the headers of Redline, and no body.
 * Thread-safe.
 *
 * <pre>{@code
 * filters:
 *   - name: RequestRateLimiter
 *     args:
 *       rate-limiter: "#{@redlineRateLimiter}"
 *       redline-rate-limiter.limit: 10/s burst 20
 * }</pre>
 *
 * <p>The arguments {@code redis-rate-limiter.*} of Spring Cloud Gateway's own limiter mean the same
 * here.
 */
public final class RedlineRateLimiter extends AbstractConfigurable<RedlineRateLimiter.Config>
    implements RateLimiter<RedlineRateLimiter.Config>, ApplicationListener<FilterArgsEvent> {
  /** The name of the bean. */
  public static final String BEAN_NAME = "redlineRateLimiter";

  private final RequestLimiter limiter;
  private final RateLimitEngine engine;
  private final ReactiveResponses responses;
  private final Map<String, Config> configs = new ConcurrentHashMap<>();
  private final Map<String, RouteLimit> limits = new ConcurrentHashMap<>();

  /**
   * Creates the rate limiter.
   *
   * @param limiter decides
   * @param engine learns the limits of routes as rules, so that they are counted by name
   * @param responses writes headers to responses
   */
  public RedlineRateLimiter(
      RequestLimiter limiter, RateLimitEngine engine, ReactiveResponses responses) {
    super(Config.class);
    this.limiter = limiter;
    this.engine = engine;
    this.responses = responses;
  }

  /** Returns the limits of routes by their ids; changes count from the next request. */
  @Override
  public Map<String, Config> getConfig() {
    return configs;
  }

  /**
   * Takes over the arguments of a route.
   *
   * @throws IllegalArgumentException if the route names this rate limiter or its arguments, and
   *     they are wrong; the route is not loaded then
   */
  @Override
  public void onApplicationEvent(FilterArgsEvent event) {
    RouteArguments arguments = new RouteArguments(event.getRouteId(), event.getArgs());
    Object chosen = arguments.rateLimiter();
    if (chosen != null && chosen != this) {
      return;
    }
    String routeId = event.getRouteId();
    Config config = arguments.config();
    if (chosen == this || arguments.nameRedline()) {
      // Before it counts: the gateway keeps its routes if one of them cannot be loaded.
      var unused = compiled(routeId, config == null ? configOf(routeId) : config);
    }
    if (config != null) {
      configs.put(routeId, config);
    }
  }

  /**
   * Decides.
   *
   * @param routeId the route, whose limit applies
   * @param id the key; callers with an empty one share a bucket that no key can name
   */
  @Override
  public Mono<Response> isAllowed(String routeId, String id) {
    return Mono.deferContextual(
        context -> {
          RouteLimit limit = limit(routeId);
          return Mono.fromFuture(() -> limiter.check(limit.check(id)))
              .map(result -> response(result, context));
        });
  }

  private Response response(RateLimitResult result, ContextView context) {
    ServerWebExchange exchange = ServerWebExchangeContextFilter.getExchange(context).orElse(null);
    Map<String, String> headers = new LinkedHashMap<>();
    if (exchange == null) {
      responses.http().forEachHeader(result, true, headers::put);
    } else {
      // The filter would add a second set to that of the web filter.
      responses.addHeaders(exchange, result);
    }
    return new Response(result.allowed(), headers);
  }

  /** Returns the limit of a route, which may have changed since the last request. */
  private RouteLimit limit(String routeId) {
    return compiled(routeId, configOf(routeId));
  }

  private RouteLimit compiled(String routeId, Config config) {
    RouteLimit known = limits.get(routeId);
    if (known != null && known.config().equals(config)) {
      return known;
    }
    RouteLimit limit = RouteLimit.of(routeId, config.copy(), engine);
    limits.put(routeId, limit);
    return limit;
  }

  private Config configOf(String routeId) {
    Config config = configs.get(routeId);
    if (config == null) {
      config = configs.get(RouteDefinitionRouteLocator.DEFAULT_FILTERS);
    }
    if (config == null) {
      throw new IllegalArgumentException(
          "route '"
              + routeId
              + "': RequestRateLimiter has no limit; add the argument"
              + " redline-rate-limiter.limit, such as 10/s burst 20, or redline-rate-limiter.plan");
    }
    return config;
  }

  /** The limit of a route: one of {@code limit}, {@code plan} and {@code replenishRate}. */
  public static final class Config {
    private @Nullable String limit;
    private @Nullable String plan;
    private @Nullable Long replenishRate;
    private @Nullable Long burstCapacity;
    private long tokens = 1;

    /** Returns the limits, such as {@code 10/s burst 20, 1000/h}, or null. */
    public @Nullable String getLimit() {
      return limit;
    }

    /** Sets the limits, separated by commas; all apply, to buckets of the route's own. */
    public Config setLimit(String value) {
      limit = value;
      return this;
    }

    /** Returns the plan of the rules, or null. */
    public @Nullable String getPlan() {
      return plan;
    }

    /** Sets the plan; a plan and a key are one bucket wherever they are used. */
    public Config setPlan(String value) {
      plan = value;
      return this;
    }

    /** Returns how many tokens a bucket gets in a second, or null. */
    public @Nullable Long getReplenishRate() {
      return replenishRate;
    }

    /** Sets how many tokens a bucket gets in a second. */
    public Config setReplenishRate(long value) {
      replenishRate = value;
      return this;
    }

    /** Returns how many tokens a bucket of {@code replenishRate} holds; 1 unless set. */
    public long getBurstCapacity() {
      return burstCapacity == null ? 1 : burstCapacity;
    }

    boolean hasBurstCapacity() {
      return burstCapacity != null;
    }

    /** Sets how many tokens a bucket of {@code replenishRate} holds; limits and plans say it. */
    public Config setBurstCapacity(long value) {
      burstCapacity = value;
      return this;
    }

    /** Returns how many tokens a request costs. */
    public long getTokens() {
      return tokens;
    }

    /** Sets how many tokens a request costs. */
    public Config setTokens(long value) {
      tokens = value;
      return this;
    }

    Config copy() {
      Config copy = new Config();
      copy.limit = limit;
      copy.plan = plan;
      copy.replenishRate = replenishRate;
      copy.burstCapacity = burstCapacity;
      copy.tokens = tokens;
      return copy;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Config that
          && Objects.equals(limit, that.limit)
          && Objects.equals(plan, that.plan)
          && Objects.equals(replenishRate, that.replenishRate)
          && Objects.equals(burstCapacity, that.burstCapacity)
          && tokens == that.tokens;
    }

    @Override
    public int hashCode() {
      return Objects.hash(limit, plan, replenishRate, burstCapacity, tokens);
    }
  }
}
