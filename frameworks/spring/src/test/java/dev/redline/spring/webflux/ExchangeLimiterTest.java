package dev.redline.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.RateLimitEngine;
import dev.redline.spring.LimitedEngine;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

class ExchangeLimiterTest {
  private static final Optional<String> ALL = Optional.empty();
  private static final Optional<String> DEFAULT = Optional.of("default");

  private final RateLimitEngine engine = LimitedEngine.create();
  private final MockServerWebExchange exchange =
      MockServerWebExchange.from(
          MockServerHttpRequest.get("http://host/api/x")
              .remoteAddress(new InetSocketAddress("203.0.113.7", 1)));

  @AfterEach
  void close() {
    engine.close();
  }

  private ExchangeLimiter limiter(Optional<String> ruleSet, Optional<String> defaultRuleSet) {
    return new ExchangeLimiter(
        new RequestLimiter(engine, ruleSet, MissingRules.REJECT),
        defaultRuleSet,
        new ReactiveRequests(LimitedEngine.IDENTITY, List.of()),
        new ReactiveResponses(LimitedEngine.http()));
  }

  private void limit(ExchangeLimiter by) {
    by.limit(exchange, Mono::empty).block();
  }

  private void limitOnce(ExchangeLimiter by, Predicate<String> ofAllSets) {
    by.limitOnce(exchange, ofAllSets, Mono::empty).block();
  }

  private void assertRemaining(String remaining) {
    assertThat(exchange.getResponse().getHeaders().getFirst("X-RateLimit-Remaining"))
        .isEqualTo(remaining);
  }

  @Test
  void sameRuleSetDecidesOnce() {
    limit(limiter(DEFAULT, ALL));
    limitOnce(limiter(DEFAULT, ALL), any -> false);

    assertRemaining("1");
  }

  @Test
  void defaultRuleSetIsTheSameWithoutItsName() {
    limit(limiter(Optional.empty(), DEFAULT));
    limitOnce(limiter(DEFAULT, DEFAULT), any -> true);

    assertRemaining("1");
  }

  @Test
  void rulesOfAllSetsIncludeThoseOfOne() {
    limit(limiter(ALL, ALL));
    limitOnce(limiter(DEFAULT, ALL), "default"::equals);
    limitOnce(limiter(ALL, ALL), any -> false);

    assertRemaining("1");
  }

  @Test
  void anotherRuleSetDecidesToo() {
    limit(limiter(DEFAULT, ALL));
    limitOnce(limiter(ALL, ALL), any -> true);

    assertRemaining("0");
  }

  @Test
  void missingRuleSetIsNoticedAfterTheRulesOfAllSets() {
    limit(limiter(ALL, ALL));
    limitOnce(limiter(Optional.of("missing"), ALL), "default"::equals);

    assertThat(exchange.getResponse().getStatusCode().value()).isEqualTo(503);
  }
}
