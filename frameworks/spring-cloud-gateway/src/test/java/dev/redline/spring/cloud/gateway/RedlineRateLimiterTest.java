package dev.redline.spring.cloud.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.binding.web.RateLimitHttp;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import dev.redline.spring.cloud.gateway.RedlineRateLimiter.Config;
import dev.redline.spring.webflux.ReactiveResponses;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter.Response;

class RedlineRateLimiterTest {
  private static final String ROUTE = "any route: ü";

  private final RateLimitEngine engine =
      RateLimitEngine.builder(new LocalStore())
          .book(
              RuleBook.builder()
                  .plans(List.of(new RateLimitPlan("gold", List.of(RateLimitBand.parse("2/m")))))
                  .build())
          .build();
  private final RedlineRateLimiter limiter =
      new RedlineRateLimiter(
          new RequestLimiter(engine, Optional.empty(), MissingRules.ALLOW),
          engine,
          new ReactiveResponses(new RateLimitHttp(HttpSettings.DEFAULT, List.of())));

  @AfterEach
  void close() {
    engine.close();
  }

  private void load(String name, Object value) {
    Map<String, Object> arguments = new HashMap<>(Map.of("rate-limiter", limiter, name, value));
    limiter.onApplicationEvent(new FilterArgsEvent(this, ROUTE, arguments));
  }

  private Response check(String key) {
    return limiter.isAllowed(ROUTE, key).block();
  }

  private boolean allowed(String key) {
    return check(key).isAllowed();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redline-rate-limiter.limit | 10 | '10'",
        "redline-rate-limiter.limitt | 10/s | there is no argument 'redline-rate-limiter.limitt'",
        "redline-rate-limiter.tokens | many | .tokens must be a whole number, was 'many'",
        "redline-rate-limiter.tokens | 2 | exactly one of limit, plan and replenishRate",
        "redline-rate-limiter.tokens | 0 | tokens must be at least 1, was 0",
        "redline-rate-limiter.plan | silver | there is no plan 'silver'",
        "redis-rate-limiter.burstCapacity | 5 | exactly one of limit, plan and replenishRate",
        "redis-rate-limiter.replenishRate | 0 | must be at least 1, was 0",
        "key-resolver | x | RequestRateLimiter has no limit",
      })
  void rejectsWrongArgumentsOfItsRoutes(String name, String value, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> load(name, value))
        .withMessageContaining("route '" + ROUTE + "': ")
        .withMessageContaining(message);
  }

  @Test
  void rejectsItsWrongArgumentsIfItIsTheDefault() {
    Map<String, Object> arguments = Map.of("redline-rate-limiter.limit", "many");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.onApplicationEvent(new FilterArgsEvent(this, ROUTE, arguments)))
        .withMessageContaining("route '" + ROUTE + "': ");
    assertThat(limiter.getConfig()).isEmpty();
  }

  @Test
  void rejectsTokensThatNoBucketHolds() {
    limiter.getConfig().put(ROUTE, new Config().setLimit("2/s").setTokens(3));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> check("u"))
        .withMessageContaining("no request would ever be allowed");
  }

  @Test
  void rejectsABucketWithoutRoom() {
    limiter.getConfig().put(ROUTE, new Config().setReplenishRate(1).setBurstCapacity(0));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> check("u"))
        .withMessageContaining("burstCapacity must be at least 1, was 0; to deny every request");
  }

  @Test
  void ignoresArgumentsForOtherRateLimiters() {
    Map<String, Object> arguments =
        Map.of("rateLimiter", new Object(), "redis-rate-limiter.replenishRate", "no number");

    limiter.onApplicationEvent(new FilterArgsEvent(this, ROUTE, arguments));

    assertThat(limiter.getConfig()).isEmpty();
  }

  @Test
  void returnsHeadersIfThereIsNoExchange() {
    load("redline-rate-limiter.limit", "1/m");

    assertThat(check("u").getHeaders())
        .containsEntry("X-RateLimit-Limit", "1")
        .containsEntry("X-RateLimit-Remaining", "0");
    assertThat(check("u").getHeaders()).containsKey("Retry-After");
  }

  @Test
  void limitOfARouteMayChange() {
    load("redline-rate-limiter.limit", "1/m");
    assertThat(List.of(allowed("u"), allowed("u"))).containsExactly(true, false);

    load("redline-rate-limiter.limit", "2/m");
    assertThat(List.of(allowed("u"), allowed("u"), allowed("u")))
        .containsExactly(true, true, false);
    assertThat(allowed("v")).isTrue();

    load("redline-rate-limiter.limit", "1/m");
    assertThat(allowed("u")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"redline-rate-limiter.limit,many", "redline-rate-limiter.plan,silver"})
  void routeThatCannotBeLoadedAgainKeepsItsLimit(String name, String value) {
    load("redline-rate-limiter.limit", "2/m");
    assertThat(allowed("u")).isTrue();

    assertThatIllegalArgumentException().isThrownBy(() -> load(name, value));

    assertThat(List.of(allowed("u"), allowed("u"))).containsExactly(true, false);
  }

  @ParameterizedTest
  @CsvSource({"redline-rate-limiter.limit,10/s", "redline-rate-limiter.plan,gold"})
  void rejectsABurstCapacityWithoutEffect(String name, String value) {
    Map<String, Object> arguments =
        Map.of("rate-limiter", limiter, name, value, "redis-rate-limiter.burstCapacity", "20");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.onApplicationEvent(new FilterArgsEvent(this, ROUTE, arguments)))
        .withMessageContaining("burstCapacity goes only with replenishRate");
  }

  @Test
  void reloadedRouteKeepsItsBuckets() {
    load("redline-rate-limiter.limit", "1/m");
    assertThat(allowed("u")).isTrue();
    RuleBook before = engine.book();

    load("redline-rate-limiter.limit", "1/m");

    assertThat(allowed("u")).isFalse();
    assertThat(engine.book()).isSameAs(before);
  }

  @Test
  void planIsSharedWithOtherCallers() {
    load("redline-rate-limiter.plan", "gold");
    assertThat(allowed("u")).isTrue();
    assertThat(engine.plan("gold").tryAcquire("u")).isTrue();

    assertThat(allowed("u")).isFalse();
  }
}
