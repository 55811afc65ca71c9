package dev.redline.spring.cloud.gateway;

import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.spring.cloud.gateway.RedlineRateLimiter.Config;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What a route charges for a request, checked and compiled.
 *
 * @param config the configuration it was made from
 * @param charge returns the limit of a caller by its key
 */
record RouteLimit(RedlineRateLimiter.Config config, Function<String, CallLimit> charge) {
  /** The rule set of the rules that routes declare. */
  private static final String RULE_SET = "gateway";

  /** Returns the check of a caller; an empty key is none. */
  LimitCheck check(String key) {
    return LimitCheck.ofLimits(List.of(charge.apply(key)), RequestContext.EMPTY);
  }

  /**
   * Compiles the limit of a route.
   *
   * @throws IllegalArgumentException if it is wrong, naming the route
   */
  static RouteLimit of(String routeId, Config config, RateLimitEngine engine) {
    try {
      AllowedValues.between("tokens", config.getTokens(), 1, RateLimitBand.MAX_TOKENS);
      List<RateLimitBand> bands = bands(config);
      return config.getPlan() == null
          ? ofBands(declared(ruleId(routeId), bands, engine), config)
          : ofPlan(config.getPlan(), config, engine);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("route '" + routeId + "': " + e.getMessage(), e);
    }
  }

  private static RouteLimit ofPlan(String plan, Config config, RateLimitEngine engine) {
    if (engine.book() != null && !engine.hasPlan(plan)) {
      throw new IllegalArgumentException("there is no plan '" + plan + "' in the rules");
    }
    long tokens = config.getTokens();
    return new RouteLimit(
        config,
        key ->
            new CallLimit.OfPlan(
                plan,
                key.isEmpty() ? CallLimit.NO_KEY : IdentityScheme.ofPlanKey(key),
                tokens,
                CallLimit.Policy.DEFAULT));
  }

  private static RouteLimit ofBands(RateLimitRule rule, Config config) {
    long tokens = config.getTokens();
    return new RouteLimit(
        config,
        key ->
            new CallLimit.OfRule(
                rule, key.isEmpty() ? CallLimit.NO_KEY : IdentityScheme.resolved(key), tokens));
  }

  private static List<RateLimitBand> bands(Config config) {
    List<RateLimitBand> bands = new ArrayList<>();
    int kinds = config.getPlan() == null ? 0 : 1;
    if (config.getLimit() != null) {
      kinds++;
      for (String text : config.getLimit().split(",", -1)) {
        bands.add(RateLimitBand.parse(text.trim()));
      }
    }
    if (config.getReplenishRate() != null) {
      kinds++;
      if (config.getBurstCapacity() == 0) {
        throw new IllegalArgumentException(
            "burstCapacity must be at least 1, was 0; to deny every request use a rule of action"
                + " DENY");
      }
      bands.add(
          RateLimitBand.of(
              config.getBurstCapacity(), config.getReplenishRate(), Duration.ofSeconds(1)));
    }
    if (kinds != 1) {
      throw new IllegalArgumentException(
          "exactly one of limit, plan and replenishRate must be given, "
              + (kinds == 0 ? "none is" : "several are"));
    }
    if (config.hasBurstCapacity() && config.getReplenishRate() == null) {
      throw new IllegalArgumentException(
          "burstCapacity goes only with replenishRate; write a burst as in 10/s burst 20");
    }
    for (RateLimitBand band : bands) {
      if (config.getTokens() > band.capacity()) {
        throw new IllegalArgumentException(
            "a request costs "
                + config.getTokens()
                + " tokens, and the limit has room for "
                + band.capacity()
                + ": no request would ever be allowed");
      }
    }
    return bands;
  }

  /** Makes the limits known to the engine as a rule, so that they are counted by name. */
  private static RateLimitRule declared(
      String id, List<RateLimitBand> bands, RateLimitEngine engine) {
    RateLimitRule rule = rule(id, bands);
    try {
      engine.declare(List.of(rule));
    } catch (IllegalArgumentException e) {
      // The route had other limits before, and a declared rule never changes.
      rule = rule(id + "-" + Integer.toHexString(bands.hashCode()), bands);
      engine.declare(List.of(rule));
    }
    return rule;
  }

  private static RateLimitRule rule(String id, List<RateLimitBand> bands) {
    RateLimitRule.Builder rule = RateLimitRule.builder().id(id).ruleSetId(RULE_SET);
    bands.forEach(rule::addBand);
    return rule.build();
  }

  /** Returns an id of a rule for a route, whose own id may be any text. */
  private static String ruleId(String routeId) {
    String id = "gateway." + routeId.replaceAll("[^A-Za-z0-9._-]", "_");
    if (id.length() <= 100 && id.endsWith("." + routeId)) {
      return id;
    }
    String start = id.substring(0, Math.min(id.length(), 100));
    return start + "-" + Integer.toHexString(routeId.hashCode());
  }
}
