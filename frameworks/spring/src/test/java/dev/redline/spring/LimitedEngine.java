package dev.redline.spring;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.EngineSettings;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.LimitScope;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.MicrosClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/** An engine with a few rules, and what filters need of it. */
public final class LimitedEngine {
  public static final ClientIdentity IDENTITY =
      new ClientIdentity(TrustedProxies.of(List.of("10.0.0.0/8")), "X-API-Key");

  private LimitedEngine() {}

  /** Returns an engine: 2 per minute and address under /api, nothing under /blocked. */
  public static RateLimitEngine create() {
    RateLimitRule perIp =
        RateLimitRule.builder()
            .id("per-ip")
            .path("/api/**")
            .limitScope(LimitScope.IP)
            .addBand(RateLimitBand.parse("2/m"))
            .build();
    RateLimitRule perUser =
        RateLimitRule.builder()
            .id("per-user")
            .path("/user/**")
            .limitScope(LimitScope.USER_ID)
            .addBand(RateLimitBand.parse("2/m"))
            .build();
    RateLimitRule blocked =
        RateLimitRule.builder().id("blocked").path("/blocked/**").action(Action.DENY).build();
    return RateLimitEngine.builder(new LocalStore(1000, MicrosClock.monotonic()))
        .book(RuleBook.of(perIp, perUser, blocked))
        .reportBands(true)
        .build();
  }

  /**
   * Returns an engine with 1 per minute and address, whose callers wait for a refill.
   *
   * @param waiting gets each change of their number
   */
  public static RateLimitEngine waiting(IntConsumer waiting) {
    return RateLimitEngine.builder(new LocalStore(1000, MicrosClock.monotonic()))
        .book(
            RuleBook.of(
                RateLimitRule.builder()
                    .id("per-ip")
                    .limitScope(LimitScope.IP)
                    .addBand(RateLimitBand.parse("1/m"))
                    .build()))
        .settings(
            EngineSettings.DEFAULT.withWaiting(
                OnLimitExceed.WAIT_FOR_REFILL,
                new EngineSettings.Waiting(true, Duration.ofMinutes(2), 1)))
        .metrics(
            new MetricsExporter() {
              @Override
              public RuleMeter meter(String ruleSetId, String ruleId) {
                return RuleMeter.NONE;
              }

              @Override
              public void waiting(int change) {
                waiting.accept(change);
              }
            })
        .build();
  }

  public static RequestLimiter limiter(RateLimitEngine engine) {
    return new RequestLimiter(engine, Optional.empty(), MissingRules.ALLOW);
  }

  public static RateLimitHttp http(DenialCustomizer... customizers) {
    return new RateLimitHttp(new HttpSettings(true, true, 429), List.of(customizers));
  }
}
