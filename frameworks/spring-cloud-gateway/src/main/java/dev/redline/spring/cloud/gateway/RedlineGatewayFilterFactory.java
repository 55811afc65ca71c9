package dev.redline.spring.cloud.gateway;

import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.spring.webflux.ExchangeLimiter;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.web.server.ServerWebExchange;

/**
 * The filter {@code Redline} of routes: {@code - Redline=api-limits} limits the requests of a route
 * by the rules of a set. A denied request gets the response of the web filter and does not reach
 * the upstream.
 *
 * <p>Rules match the path that the client sent, even if filters before this one changed it. A rule
 * set decides a request once: the filter leaves out rules that the filter of the application, or an
 * earlier one of the route, has charged.
 */
public final class RedlineGatewayFilterFactory
    extends AbstractGatewayFilterFactory<RedlineGatewayFilterFactory.RuleSetChoice> {
  private final Function<Optional<String>, ExchangeLimiter> limiters;
  private final Predicate<String> ofAllSets;

  /**
   * Creates the factory.
   *
   * @param limiters returns what limits by a rule set; if absent, by that of the web filter
   * @param ofAllSets whether the rules of all sets, by which the web filter may have decided,
   *     include those of a set by its name
   */
  public RedlineGatewayFilterFactory(
      Function<Optional<String>, ExchangeLimiter> limiters, Predicate<String> ofAllSets) {
    super(RuleSetChoice.class);
    this.limiters = limiters;
    this.ofAllSets = ofAllSets;
  }

  @Override
  public List<String> shortcutFieldOrder() {
    return List.of("ruleSetId");
  }

  @Override
  public GatewayFilter apply(RuleSetChoice choice) {
    ExchangeLimiter limiter = limiters.apply(Optional.ofNullable(choice.getRuleSetId()));
    return (exchange, chain) ->
        limiter.limitOnce(asSent(exchange), ofAllSets, () -> chain.filter(exchange));
  }

  /** Returns the exchange with the URI that the client sent. */
  private static ServerWebExchange asSent(ServerWebExchange exchange) {
    Set<URI> earlier =
        exchange.getAttributeOrDefault(
            ServerWebExchangeUtils.GATEWAY_ORIGINAL_REQUEST_URL_ATTR, Set.of());
    return earlier.isEmpty()
        ? exchange
        : exchange.mutate().request(request -> request.uri(earlier.iterator().next())).build();
  }

  /** The arguments of the filter in a route. */
  public static final class RuleSetChoice {
    private @Nullable String ruleSetId;

    /** Returns the rule set, or null for that of the web filter. */
    public @Nullable String getRuleSetId() {
      return ruleSetId;
    }

    /**
     * Sets the rule set.
     *
     * @throws IllegalArgumentException if no rule set can have that name
     */
    public void setRuleSetId(String value) {
      ruleSetId = AllowedValues.id("the rule set of the filter Redline", value);
    }
  }
}
