package dev.redline.core.settings;

import dev.redline.core.EngineSettings;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.WaitSettings;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.internal.key.ApiKeyDigest;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All {@code rl.*} properties, typed and checked. Frameworks bring a flat map of names and values;
 * what the names mean, what is allowed and what holds unless set is said here and nowhere else.
 *
 * @param enabled the kill switch
 * @param mode whether all rules are shadow rules
 * @param storage where bucket state is kept
 * @param redis where Redis is
 * @param batch how much a store with I/O is asked at once
 * @param config where rules come from
 * @param reload how rule changes are noticed
 * @param fail what happens when the store fails
 * @param circuitBreaker when a failing store is left alone
 * @param waitForRefill how long callers may be held
 * @param identity how callers are told apart
 * @param headers which response headers are sent
 * @param metrics what is counted
 * @param server how the service listens
 * @param adminTokens who may use the admin API, by name
 * @param defaultRuleSetId the rule set of questions that name none
 * @param missingRules what happens without rules to decide by
 * @param defaultPolicy what happens to callers over the limit where rules do not say
 * @param dataDir where the service keeps its own files
 */
public record Settings(
    boolean enabled,
    Mode mode,
    Storage storage,
    Redis redis,
    Batch batch,
    Config config,
    Reload reload,
    Fail fail,
    CircuitBreaker circuitBreaker,
    WaitForRefill waitForRefill,
    Identity identity,
    Headers headers,
    Metrics metrics,
    Server server,
    Map<String, AdminToken> adminTokens,
    Optional<String> defaultRuleSetId,
    MissingRules missingRules,
    OnLimitExceed defaultPolicy,
    Path dataDir) {

  private static final int SHORTEST_TOKEN = 16;

  /** The kinds of store. */
  public enum StorageType {
    /** A hash table in this process. */
    LOCAL,
    /** A Caffeine cache in this process. */
    CAFFEINE,
    /** Redis or Valkey, shared with other processes. */
    REDIS
  }

  /** The kinds of rule source. */
  public enum ConfigSource {
    /** A file or directory. */
    FILE,
    /** A Kubernetes ConfigMap, mounted as a volume. */
    CONFIG_MAP,
    /** A document in Redis. */
    REDIS
  }

  /** How a change of rules is noticed; polling goes on beside the others. */
  public enum ReloadStrategy {
    /** The file system tells. */
    WATCH,
    /** Looking from time to time. */
    POLLING,
    /** Whoever changes rules in Redis publishes a notice. */
    REDIS_PUBSUB
  }

  /** What a token may do. */
  public enum Role {
    /** Read. */
    VIEWER,
    /** Read and change. */
    EDITOR
  }

  /** Where bucket state is kept, and how many keys a store in this process holds. */
  public record Storage(StorageType type, long maxKeys) {}

  /**
   * Where Redis is, as a URI and further nodes of a cluster, and how long it may take. Without a
   * URI it is that of the first node.
   */
  public record Redis(
      String uri,
      List<String> clusterNodes,
      Optional<Path> caFile,
      Duration commandTimeout,
      Duration connectTimeout,
      String keyPrefix) {
    /** Returns the prefix alone: a URI may hold a password. */
    @Override
    public String toString() {
      return "Redis[" + keyPrefix + "]";
    }
  }

  /** How many acquisitions one call decides, how many calls a lane has under way, and the queue. */
  public record Batch(int maxSize, int maxCalls, int maxQueued) {}

  /**
   * The rule sources, weakest first, the file or directory of FILE and CONFIG_MAP, and whether a
   * mounted ConfigMap is looked at again.
   */
  public record Config(List<ConfigSource> sources, Optional<Path> path, boolean watchConfigMap) {}

  /**
   * Whether, how and how often rule sources are looked at again, and whether changed limits start
   * with full buckets; without a strategy each source has its own.
   */
  public record Reload(
      boolean enabled,
      Optional<ReloadStrategy> strategy,
      Duration pollingInterval,
      boolean resetBuckets) {}

  /** What decides when the store cannot, and how it is said. */
  public record Fail(OnStoreFailure strategy, double localShare, int closedStatus) {}

  /** When a failing store is left alone, for how long, and how it is tried again. */
  public record CircuitBreaker(
      int failureRate,
      int slowCallRate,
      int failuresInARow,
      int minimumCalls,
      Duration window,
      Duration openDuration,
      int halfOpenCalls) {}

  /** Whether, how long and how many callers may be held until tokens refill. */
  public record WaitForRefill(boolean enabled, Duration maxWaitTime, int maxConcurrentWaits) {}

  /** How callers are told apart. */
  public record Identity(
      Optional<TrustedProxies> trustedProxies, String apiKeyHeader, IdentitySettings settings) {}

  /** Which response headers are sent. */
  public record Headers(boolean legacy, boolean ietf) {}

  /** Whether metrics are exported, and how many rules are counted by name. */
  public record Metrics(boolean enabled, int maxRules) {}

  /** How the service listens. */
  public record Server(
      String host,
      int port,
      String managementHost,
      int managementPort,
      Duration drainTimeout,
      boolean inlineLimits,
      int maxConnections,
      Duration bodyTimeout) {}

  /** A token of the admin API. */
  public record AdminToken(Role role, String value) {
    /** Returns the role alone. */
    @Override
    public String toString() {
      return "AdminToken[" + role + "]";
    }
  }

  /**
   * Reads properties given by their names, such as {@code rl.storage.max-keys}; others than {@code
   * rl.*} must not be among them.
   *
   * @throws InvalidSettingsException if one is unknown or has a wrong value; tells all of them
   */
  public static Settings parse(Map<String, String> properties) {
    PropertyReader source = new PropertyReader(properties);
    Settings settings = read(source);
    source.finish();
    return settings;
  }

  /**
   * Returns the properties that environment variables stand for: {@code RL_STORAGE_MAX_KEYS} is
   * {@code rl.storage.max-keys}. Variables that stand for none are left out.
   */
  public static Map<String, String> environment(Map<String, String> variables) {
    Map<String, String> byVariable = new HashMap<>();
    PropertyReader none = new PropertyReader(Map.of());
    read(none);
    none.known().forEach(name -> byVariable.put(variable(name), name));
    Map<String, String> properties = new LinkedHashMap<>();
    variables.forEach(
        (variable, value) -> {
          String name = byVariable.get(variable);
          if (name == null) {
            name = adminToken(variable).orElse(null);
          }
          if (name != null && !value.isEmpty()) {
            properties.put(name, value);
          }
        });
    return properties;
  }

  /**
   * Returns the {@code RL_*} variables that stand for no property, each with the one that was
   * probably meant, if any is near.
   */
  public static Map<String, Optional<String>> unknownVariables(Map<String, String> variables) {
    PropertyReader none = new PropertyReader(Map.of());
    read(none);
    List<String> known = none.known().stream().map(Settings::variable).toList();
    Map<String, Optional<String>> unknown = new TreeMap<>();
    for (String variable : variables.keySet()) {
      if (variable.startsWith("RL_")
          && !known.contains(variable)
          && adminToken(variable).isEmpty()) {
        unknown.put(variable, PropertyReader.nearest(variable, known));
      }
    }
    return unknown;
  }

  private static String variable(String name) {
    return name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  private static Optional<String> adminToken(String variable) {
    String prefix = "RL_ADMIN_TOKENS_";
    for (String field : List.of("role", "value", "file")) {
      String suffix = "_" + field.toUpperCase(Locale.ROOT);
      if (variable.startsWith(prefix)
          && variable.endsWith(suffix)
          && variable.length() > prefix.length() + suffix.length()) {
        String name = variable.substring(prefix.length(), variable.length() - suffix.length());
        return Optional.of("rl.admin.tokens." + name.toLowerCase(Locale.ROOT) + "." + field);
      }
    }
    return Optional.empty();
  }

  private static Settings read(PropertyReader from) {
    Config config = SourceProperties.config(from);
    return new Settings(
        from.bool("rl.enabled", true),
        from.choice("rl.mode", Mode.class, Mode.ENFORCE),
        new Storage(
            from.choice("rl.storage.type", StorageType.class, StorageType.LOCAL),
            from.number("rl.storage.max-keys", 1_000_000, 1, 1_000_000_000)),
        RedisProperties.read(from),
        new Batch(
            (int) from.number("rl.batch.max-size", 64, 1, 64),
            (int) from.number("rl.batch.max-calls", 4, 1, 4),
            (int) from.number("rl.batch.max-queued", 10_000, 1, 1_000_000)),
        config,
        SourceProperties.reload(from, config.sources()),
        new Fail(
            from.choice("rl.fail.strategy", OnStoreFailure.class, OnStoreFailure.LOCAL),
            from.fraction("rl.fail.local-share", 1.0, 1.0),
            closedStatus(from)),
        new CircuitBreaker(
            (int) from.number("rl.circuit-breaker.failure-rate", 50, 1, 100),
            (int) from.number("rl.circuit-breaker.slow-call-rate", 100, 1, 100),
            (int) from.number("rl.circuit-breaker.failures-in-a-row", 5, 1, 1_000_000),
            (int) from.number("rl.circuit-breaker.minimum-calls", 20, 1, 1_000_000),
            from.duration("rl.circuit-breaker.window", Duration.ofSeconds(10)),
            from.duration("rl.circuit-breaker.open-duration", Duration.ofSeconds(2)),
            (int) from.number("rl.circuit-breaker.half-open-calls", 3, 1, 1000)),
        new WaitForRefill(
            from.bool("rl.wait-for-refill.enabled", false),
            from.duration("rl.wait-for-refill.max-wait-time", Duration.ofSeconds(5)),
            (int) from.number("rl.wait-for-refill.max-concurrent-waits", 100, 1, 1_000_000)),
        identity(from),
        new Headers(from.bool("rl.headers.legacy", true), from.bool("rl.headers.ietf", false)),
        new Metrics(
            from.bool("rl.metrics.enabled", true),
            (int) from.number("rl.metrics.max-rules", 1000, 0, 100_000)),
        new Server(
            from.text("rl.server.host", "0.0.0.0"),
            (int) from.number("rl.server.port", 8080, 0, 65_535),
            from.text("rl.server.management-host", "127.0.0.1"),
            (int) from.number("rl.server.management-port", 9090, 0, 65_535),
            from.duration("rl.server.drain-timeout", Duration.ofSeconds(20)),
            from.bool("rl.server.inline-limits", false),
            (int) from.number("rl.server.max-connections", 20_000, 1, 1_000_000),
            from.duration("rl.server.body-timeout", Duration.ofSeconds(10))),
        adminTokens(from),
        from.text("rl.default-rule-set-id"),
        from.choice("rl.missing-rule-behavior", MissingRules.class, MissingRules.ALLOW),
        from.choice("rl.default-policy", OnLimitExceed.class, OnLimitExceed.REJECT),
        from.read("rl.data-dir", "use a directory", Path::of).orElse(Path.of("data")));
  }

  private static int closedStatus(PropertyReader from) {
    String name = "rl.fail.closed-status";
    long status = from.number(name, 429, 429, 503);
    if (status != 429 && status != 503) {
      from.problem(name, Long.toString(status), "use 429 or 503");
    }
    return (int) status;
  }

  private static Identity identity(PropertyReader from) {
    List<String> proxies = new ArrayList<>();
    for (String proxy : from.words("rl.identity.trusted-proxies")) {
      try {
        TrustedProxies.of(List.of(proxy));
        proxies.add(proxy);
      } catch (IllegalArgumentException e) {
        from.problem("rl.identity.trusted-proxies", proxy, "use addresses or CIDR blocks");
      }
    }
    return new Identity(
        proxies.isEmpty() ? Optional.empty() : Optional.of(TrustedProxies.of(proxies)),
        from.text("rl.identity.api-key-header", "X-API-Key"),
        new IdentitySettings(
            (int) from.number("rl.identity.ipv6-prefix", 64, 1, 128),
            from.secret("rl.identity.digest-secret", "rl.identity.digest-secret-file")
                .map(ApiKeyDigest::keyed)
                .orElseGet(ApiKeyDigest::unkeyed)));
  }

  private static Map<String, AdminToken> adminTokens(PropertyReader from) {
    Map<String, AdminToken> tokens = new LinkedHashMap<>();
    for (String name : from.namesUnder("rl.admin.tokens.")) {
      String prefix = "rl.admin.tokens." + name;
      Role role = from.choice(prefix + ".role", Role.class, Role.VIEWER);
      Optional<String> value = from.secret(prefix + ".value", prefix + ".file");
      if (value.isEmpty()) {
        from.problem(prefix, "", "set " + prefix + ".value or " + prefix + ".file");
      }
      if (value.isPresent() && value.get().length() < SHORTEST_TOKEN) {
        from.secretProblem(prefix + ".value", "use at least " + SHORTEST_TOKEN + " characters");
      }
      value.ifPresent(secret -> tokens.put(name, new AdminToken(role, secret)));
    }
    return tokens;
  }

  /** Returns how an engine decides where rules are silent. */
  public EngineSettings engine() {
    return new EngineSettings(
        mode == Mode.SHADOW,
        defaultRuleSetId,
        missingRules,
        fail.strategy(),
        fail.localShare(),
        defaultPolicy,
        new WaitSettings(
            waitForRefill.enabled(),
            waitForRefill.maxWaitTime(),
            waitForRefill.maxConcurrentWaits()));
  }
}
