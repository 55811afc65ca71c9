package dev.redline.core.settings;

import dev.redline.core.EngineSettings;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.spi.PropertyReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The {@code rl.*} properties that every application with an engine has, typed and checked. Stores,
 * rule sources and the server read and document their own.
 *
 * @param enabled the kill switch
 * @param mode whether all rules are shadow rules
 * @param fail what happens when the store fails
 * @param circuitBreaker when a failing store is no longer called
 * @param waitForRefill how long callers may wait
 * @param identity how callers are told apart
 * @param headers which response headers are sent
 * @param metrics which metrics are recorded
 * @param defaultRuleSetId the rule set of checks that name none
 * @param missingRules what happens without rules to decide by
 * @param defaultPolicy what happens to callers over the limit unless their rule says
 */
public record Settings(
    boolean enabled,
    Mode mode,
    Fail fail,
    CircuitBreaker circuitBreaker,
    WaitForRefill waitForRefill,
    Identity identity,
    Headers headers,
    Metrics metrics,
    Optional<String> defaultRuleSetId,
    MissingRules missingRules,
    OnLimitExceed defaultPolicy) {

  /** A token of RFC 9110. */
  private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  /** What decides when the store fails, and the HTTP status of {@code CLOSED}. */
  public record Fail(OnStoreFailure strategy, double localShare, int closedStatus) {}

  /** When a failing store is no longer called, for how long, and how it is tried again. */
  public record CircuitBreaker(
      int failureRate,
      int slowCallRate,
      int failuresInARow,
      int minimumCalls,
      Duration window,
      Duration openDuration,
      int halfOpenCalls) {}

  /** Whether, how long and how many callers may wait until tokens refill. */
  public record WaitForRefill(boolean enabled, Duration maxWaitTime, int maxConcurrentWaits) {}

  /** How callers are told apart. */
  public record Identity(
      Optional<TrustedProxies> trustedProxies, String apiKeyHeader, IdentitySettings settings) {}

  /** Which response headers are sent. */
  public record Headers(boolean legacy, boolean ietf) {}

  /** Whether metrics are exported, and how many rules are counted by name. */
  public record Metrics(boolean enabled, int maxRules) {}

  /**
   * Reads properties given by their names, such as {@code rl.fail.strategy}.
   *
   * @throws InvalidSettingsException if one is unknown here or has a wrong value; names all of them
   */
  public static Settings parse(Map<String, String> properties) {
    FlatProperties reader = new FlatProperties(properties);
    Settings settings = read(reader);
    reader.finish();
    return settings;
  }

  /** Reads these properties among those of other modules. */
  public static Settings read(PropertyReader from) {
    return new Settings(
        from.property(
                "rl.enabled", "the kill switch; the server watches its `--config` file for it")
            .bool(true),
        from.property("rl.mode", "`SHADOW` makes every rule a shadow rule")
            .choice(Mode.class, Mode.ENFORCE),
        fail(from),
        circuitBreaker(from),
        waitForRefill(from),
        identity(from),
        new Headers(
            from.property("rl.headers.legacy", "`X-RateLimit-…` headers").bool(true),
            from.property("rl.headers.ietf", "`RateLimit` and `RateLimit-Policy` headers")
                .bool(false)),
        new Metrics(
            from.property("rl.metrics.enabled", "whether metrics are exported").bool(true),
            from.property(
                    "rl.metrics.max-rules",
                    "how many rules are counted by name; the rest is `other`")
                .integer(1000, 0, 100_000)),
        from.property("rl.default-rule-set-id", "the rule set of checks that name none")
            .parsed("use " + AllowedValues.IDS, value -> AllowedValues.id("rule set", value)),
        from.property(
                "rl.missing-rule-behavior", "`REJECT` denies where there are no rules to decide by")
            .choice(MissingRules.class, MissingRules.ALLOW),
        from.property(
                "rl.default-policy",
                "what a rule without `onLimitExceed` does; also `WAIT_FOR_REFILL`")
            .choice(OnLimitExceed.class, OnLimitExceed.REJECT));
  }

  private static Fail fail(PropertyReader from) {
    return new Fail(
        from.property(
                "rl.fail.strategy",
                "what a rule without `onStoreFailure` does; also `OPEN`, `CLOSED`")
            .choice(OnStoreFailure.class, OnStoreFailure.LOCAL),
        from.property(
                "rl.fail.local-share",
                "which part of each limit a node grants by itself while the shared store fails;"
                    + " with n nodes, 1/n keeps the sum")
            .fraction(1.0, 1.0),
        closedStatus(from));
  }

  private static int closedStatus(PropertyReader from) {
    String name = "rl.fail.closed-status";
    int status = from.property(name, "or 503").integer(429, 429, 503);
    if (status != 429 && status != 503) {
      from.problem(name, Integer.toString(status), "use 429 or 503");
    }
    return status;
  }

  private static CircuitBreaker circuitBreaker(PropertyReader from) {
    String prefix = "rl.circuit-breaker.";
    return new CircuitBreaker(
        from.property(
                prefix + "failure-rate",
                "the store is no longer called after this percentage of failed calls within the"
                    + " window")
            .integer(50, 1, 100),
        from.property(
                prefix + "slow-call-rate",
                "or after this percentage of calls that took 80 % of the command time-out")
            .integer(100, 1, 100),
        from.property(prefix + "failures-in-a-row", "or after so many failed calls in a row")
            .integer(5, 1, 1_000_000),
        from.property(
                prefix + "minimum-calls",
                "how many calls a window needs for the percentages to count")
            .integer(20, 1, 1_000_000),
        from.property(prefix + "window", "the window of the percentages")
            .duration(Duration.ofSeconds(10)),
        from.property(prefix + "open-duration", "for how long the store is not called, at most")
            .duration(Duration.ofSeconds(2)),
        from.property(
                prefix + "half-open-calls", "with how many acquisitions the store is tried again")
            .integer(3, 1, 1000));
  }

  private static WaitForRefill waitForRefill(PropertyReader from) {
    String prefix = "rl.wait-for-refill.";
    return new WaitForRefill(
        from.property(
                prefix + "enabled",
                "whether rules with `WAIT_FOR_REFILL` let callers wait; otherwise they deny at"
                    + " once, with one warning. The service never waits")
            .bool(false),
        from.property(
                prefix + "max-wait-time",
                "how long a caller waits at most; one whose turn cannot come in time is denied at"
                    + " once: `WAIT_TIMEOUT`")
            .duration(Duration.ofSeconds(5)),
        from.property(
                prefix + "max-concurrent-waits",
                "how many callers wait at once; more are denied at once: `LIMIT_EXCEEDED`")
            .integer(100, 1, 1_000_000));
  }

  private static Identity identity(PropertyReader from) {
    Optional<TrustedProxies> proxies = trustedProxies(from);
    String apiKeyHeader = apiKeyHeader(from);
    IdentitySettings settings =
        new IdentitySettings(
            from.property(
                    "rl.identity.ipv6-prefix",
                    "how many leading bits of an IPv6 address are one caller")
                .integer(64, 1, 128),
            from.property(
                    "rl.identity.digest-secret",
                    "HMAC key for digests of API keys; the same on all nodes")
                .secret()
                .map(ApiKeyDigest::keyed)
                .orElseGet(ApiKeyDigest::unkeyed));
    return new Identity(proxies, apiKeyHeader, settings.withCredentialHeader(apiKeyHeader));
  }

  private static String apiKeyHeader(PropertyReader from) {
    String name = "rl.identity.api-key-header";
    String standard = "X-API-Key";
    String header = from.property(name, "the header that holds the API key").text(standard);
    if (HEADER_NAME.matcher(header).matches()) {
      return header;
    }
    from.problem(name, header, "use the name of a header: letters, digits and !#$%&'*+-.^_`|~");
    return standard;
  }

  private static Optional<TrustedProxies> trustedProxies(PropertyReader from) {
    String name = "rl.identity.trusted-proxies";
    List<String> proxies = new ArrayList<>();
    for (String proxy :
        from.property(name, "addresses and blocks whose `X-Forwarded-For` is trusted")
            .unlessSet("loopback in the server, else none")
            .words()) {
      try {
        TrustedProxies.of(List.of(proxy));
        proxies.add(proxy);
      } catch (IllegalArgumentException e) {
        from.problem(name, proxy, "use addresses or CIDR blocks");
      }
    }
    return proxies.isEmpty() ? Optional.empty() : Optional.of(TrustedProxies.of(proxies));
  }

  /** Returns these settings with another behavior without rules. */
  public Settings withMissingRules(MissingRules value) {
    return new Settings(
        enabled,
        mode,
        fail,
        circuitBreaker,
        waitForRefill,
        identity,
        headers,
        metrics,
        defaultRuleSetId,
        value,
        defaultPolicy);
  }

  /** Returns how an engine decides unless rules say otherwise. */
  public EngineSettings engine() {
    return new EngineSettings(
        mode == Mode.SHADOW,
        defaultRuleSetId,
        missingRules,
        fail.strategy(),
        fail.localShare(),
        defaultPolicy,
        new EngineSettings.Waiting(
            waitForRefill.enabled(),
            waitForRefill.maxWaitTime(),
            waitForRefill.maxConcurrentWaits()));
  }
}
