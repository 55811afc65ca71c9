package dev.redline.spring.cloud.gateway;

import dev.redline.spring.cloud.gateway.RedlineRateLimiter.Config;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a filter in a route.
 *
 * @param routeId the route
 * @param values the arguments by name, with expressions evaluated
 */
record RouteArguments(String routeId, Map<String, Object> values) {
  private static final String OWN_PREFIX = "redline-rate-limiter.";
  private static final List<String> PREFIXES = List.of(OWN_PREFIX, "redis-rate-limiter.");

  /** Returns the rate limiter that the filter names, or null. */
  @Nullable Object rateLimiter() {
    for (Map.Entry<String, Object> argument : values.entrySet()) {
      if (canonical(argument.getKey()).equals("ratelimiter")) {
        return argument.getValue();
      }
    }
    return null;
  }

  /** Returns whether there are arguments that only Redline's rate limiter has. */
  boolean nameRedline() {
    return values.keySet().stream().anyMatch(name -> name.startsWith(OWN_PREFIX));
  }

  /**
   * Returns the limit that the arguments say, or null if they say nothing of a limit.
   *
   * @throws IllegalArgumentException if one is unknown or no number
   */
  @Nullable Config config() {
    Config config = null;
    for (Map.Entry<String, Object> argument : values.entrySet()) {
      for (String prefix : PREFIXES) {
        if (argument.getKey().startsWith(prefix)) {
          config = config == null ? new Config() : config;
          set(config, argument.getKey(), prefix, String.valueOf(argument.getValue()).trim());
        }
      }
    }
    return config;
  }

  private void set(Config config, String name, String prefix, String value) {
    switch (canonical(name.substring(prefix.length()))) {
      case "limit" -> config.setLimit(value);
      case "plan" -> config.setPlan(value);
      case "replenishrate" -> config.setReplenishRate(number(name, value));
      case "burstcapacity" -> config.setBurstCapacity(number(name, value));
      case "tokens", "requestedtokens" -> config.setTokens(number(name, value));
      default ->
          throw new IllegalArgumentException(
              "route '"
                  + routeId
                  + "': there is no argument '"
                  + name
                  + "'; use redline-rate-limiter.limit, .plan and .tokens, or"
                  + " redis-rate-limiter.replenishRate, .burstCapacity and .requestedTokens");
    }
  }

  private long number(String name, String value) {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "route '" + routeId + "': " + name + " must be a whole number, was '" + value + "'", e);
    }
  }

  /** Returns a name without what relaxed binding ignores. */
  private static String canonical(String name) {
    return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
  }
}
