package dev.redline.spring.webflux;

import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Limits requests of WebFlux by the rules of one set, for filters. Thread-safe, and never blocks; a
 * client that disconnects while it waits for a refill frees its place.
 *
 * <p>The exchange keeps which rule sets decided it, so that a filter further inside can leave out
 * rules that were charged already: see {@link #limitOnce}.
 */
public final class ExchangeLimiter {
  private static final String DECIDED = ExchangeLimiter.class.getName() + ".DECIDED";

  /** In place of the name of a rule set: the rules of all sets. No set has this name. */
  private static final String EVERY_SET = "*";

  private final RequestLimiter limiter;
  private final String ruleSet;
  private final Set<String> alone;
  private final ReactiveRequests requests;
  private final ReactiveResponses responses;

  /**
   * Creates a limiter.
   *
   * @param limiter decides by its rule set
   * @param defaultRuleSetId the rule set that decides if the limiter names none; if absent too, the
   *     rules of all sets decide
   * @param requests describes requests to rules
   * @param responses writes decisions to responses
   */
  public ExchangeLimiter(
      RequestLimiter limiter,
      Optional<String> defaultRuleSetId,
      ReactiveRequests requests,
      ReactiveResponses responses) {
    this.limiter = limiter;
    this.ruleSet = limiter.ruleSetId().or(() -> defaultRuleSetId).orElse(EVERY_SET);
    this.alone = Set.of(ruleSet);
    this.requests = requests;
    this.responses = responses;
  }

  /**
   * Decides a request: sends the response to a denied one, and lets an allowed one continue, with
   * the headers of its limits. A CORS preflight continues without being counted.
   */
  public Mono<Void> limit(ServerWebExchange exchange, Supplier<Mono<Void>> next) {
    if (CorsUtils.isPreFlightRequest(exchange.getRequest())) {
      return next.get();
    }
    return requests
        .describe(exchange)
        .flatMap(request -> decide(request, exchange, next))
        .flatMap(Supplier::get);
  }

  /** Returns what is done by the decision; failures of that are none of the decision. */
  private Mono<Supplier<Mono<Void>>> decide(
      RequestContext request, ServerWebExchange exchange, Supplier<Mono<Void>> next) {
    return Mono.fromFuture(() -> limiter.check(request))
        .<Supplier<Mono<Void>>>map(result -> () -> apply(exchange, next, result))
        .onErrorResume(
            OversizedRequestException.class,
            problem -> Mono.just(() -> responses.reject(exchange, problem)));
  }

  /**
   * Is {@link #limit}, unless the same rules decided the request before, alone or with those of all
   * sets.
   *
   * @param ofAllSets whether the rules of all sets include those of a set by its name
   */
  public Mono<Void> limitOnce(
      ServerWebExchange exchange, Predicate<String> ofAllSets, Supplier<Mono<Void>> next) {
    Set<String> before = decided(exchange);
    boolean charged =
        before.contains(ruleSet) || (before.contains(EVERY_SET) && ofAllSets.test(ruleSet));
    return charged ? next.get() : limit(exchange, next);
  }

  private Mono<Void> apply(
      ServerWebExchange exchange, Supplier<Mono<Void>> next, RateLimitResult result) {
    if (!result.allowed()) {
      return responses.deny(exchange, result);
    }
    exchange.getAttributes().put(DECIDED, withThis(decided(exchange)));
    responses.addHeaders(exchange, result);
    return next.get();
  }

  private Set<String> withThis(Set<String> before) {
    if (before.isEmpty()) {
      return alone;
    }
    Set<String> all = new HashSet<>(before);
    all.add(ruleSet);
    return all;
  }

  private static Set<String> decided(ServerWebExchange exchange) {
    return exchange.getAttributeOrDefault(DECIDED, Set.of());
  }
}
