package dev.redline.core.rule;

import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.limit.RateLimitBand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are limited, whom one bucket belongs to, by how much, and what happens then.
 *
 * <p>Immutable. Plans are named, not resolved: a {@link RuleBook} resolves them.
 */
public final class RateLimitRule {
  /** The rule set of a rule that names none. */
  public static final String DEFAULT_RULE_SET = "default";

  private final String id;
  private final String ruleSetId;
  private final Action action;
  private final List<String> paths;
  private final Set<String> methods;
  private final RuleMatch match;
  private final List<KeyField> key;
  private final Optional<KeyResolver> keyResolver;
  private final OnMissingIdentity onMissingIdentity;
  private final List<RateLimitBand> bands;
  private final List<String> plans;
  private final long cost;
  private final int priority;
  private final boolean stop;
  private final boolean enabled;
  private final Mode mode;
  private final Optional<OnLimitExceed> onLimitExceed;
  private final Optional<OnStoreFailure> onStoreFailure;
  private final Map<String, Object> metadata;
  private final Optional<String> createdAt;
  private final Optional<String> updatedAt;

  private RateLimitRule(Builder builder, String id) {
    this.id = id;
    this.ruleSetId = builder.ruleSetId;
    this.action = builder.action;
    this.paths = builder.paths.stream().map(PathPattern::text).toList();
    this.methods =
        builder.methods.isEmpty()
            ? Set.of()
            : Collections.unmodifiableSet(new LinkedHashSet<>(builder.methods));
    this.match = builder.match;
    this.key = builder.key.isEmpty() ? List.of(KeyField.global()) : List.copyOf(builder.key);
    this.keyResolver = Optional.ofNullable(builder.keyResolver);
    this.onMissingIdentity = builder.onMissingIdentity;
    this.bands = RateLimitBand.labelled(id, builder.bands);
    this.plans = List.copyOf(builder.plans);
    this.cost = builder.cost;
    this.priority = builder.priority;
    this.stop = builder.stop;
    this.enabled = builder.enabled;
    this.mode = builder.mode;
    this.onLimitExceed = Optional.ofNullable(builder.onLimitExceed);
    this.onStoreFailure = Optional.ofNullable(builder.onStoreFailure);
    this.metadata = Collections.unmodifiableMap(new LinkedHashMap<>(builder.metadata));
    this.createdAt = Optional.ofNullable(builder.createdAt);
    this.updatedAt = Optional.ofNullable(builder.updatedAt);
  }

  /**
   * Returns a builder; the id is required, and a {@link Action#LIMIT} rule needs bands or plans.
   */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the rule's name, unique in a rule book. */
  public String id() {
    return id;
  }

  /** Returns the rule set the rule belongs to. */
  public String ruleSetId() {
    return ruleSetId;
  }

  /** Returns what the rule does. */
  public Action action() {
    return action;
  }

  /** Returns the path patterns, of which one must match; none: every path, and no path. */
  public List<String> paths() {
    return paths;
  }

  /** Returns the methods, in upper case; none: every method. */
  public Set<String> methods() {
    return methods;
  }

  /** Returns whether the rule applies to a method; {@code GET} includes {@code HEAD}. */
  public boolean matchesMethod(@Nullable String method) {
    if (methods.isEmpty()) {
      return true;
    }
    return method != null
        && (methods.contains(method) || (method.equals("HEAD") && methods.contains("GET")));
  }

  /** Returns the further conditions. */
  public RuleMatch match() {
    return match;
  }

  /** Returns the key, by which callers are distinguished. */
  public List<KeyField> key() {
    return key;
  }

  /** Returns the resolver that replaces the key fields, if one was given. */
  public Optional<KeyResolver> keyResolver() {
    return keyResolver;
  }

  /** Returns what happens when the request lacks a key field. */
  public OnMissingIdentity onMissingIdentity() {
    return onMissingIdentity;
  }

  /** Returns the rule's own bands, each with a label. */
  public List<RateLimitBand> bands() {
    return bands;
  }

  /** Returns the names of the plans whose bands apply too. */
  public List<String> plans() {
    return plans;
  }

  /** Returns by what a request's cost is multiplied. */
  public long cost() {
    return cost;
  }

  /** Returns the priority; higher is evaluated and reported first. */
  public int priority() {
    return priority;
  }

  /** Returns whether rules after this one are not considered when it matches. */
  public boolean stop() {
    return stop;
  }

  /** Returns whether the rule is switched on. */
  public boolean enabled() {
    return enabled;
  }

  /** Returns whether a denial by the rule counts. */
  public Mode mode() {
    return mode;
  }

  /** Returns what happens to a caller over the limit, if the rule says. */
  public Optional<OnLimitExceed> onLimitExceed() {
    return onLimitExceed;
  }

  /** Returns what decides when the store cannot, if the rule says. */
  public Optional<OnStoreFailure> onStoreFailure() {
    return onStoreFailure;
  }

  /** Returns the free map handed to listeners. */
  public Map<String, Object> metadata() {
    return metadata;
  }

  /** Returns when the rule was made, as its source wrote it; kept, never read. */
  public Optional<String> createdAt() {
    return createdAt;
  }

  /** Returns when the rule was last changed, as its source wrote it; kept, never read. */
  public Optional<String> updatedAt() {
    return updatedAt;
  }

  /** Returns all fields, for comparison; a resolver is equal as its own class defines it. */
  private List<Object> fields() {
    return List.of(
        List.of(id, ruleSetId, action, paths, methods, match, key, keyResolver, onMissingIdentity),
        List.of(bands, plans, cost, priority, stop, enabled, mode, onLimitExceed, onStoreFailure),
        List.of(metadata, createdAt, updatedAt));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RateLimitRule that && fields().equals(that.fields());
  }

  @Override
  public int hashCode() {
    return fields().hashCode();
  }

  @Override
  public String toString() {
    return "RateLimitRule[" + ruleSetId + "/" + id + "]";
  }

  /** Builds a rule; each setter rejects a value out of range, naming it. */
  public static final class Builder {
    private @Nullable String id;
    private String ruleSetId = DEFAULT_RULE_SET;
    private Action action = Action.LIMIT;
    private final List<PathPattern> paths = new ArrayList<>();
    private final Set<String> methods = new LinkedHashSet<>();
    private RuleMatch match = RuleMatch.ANY;
    private List<KeyField> key = List.of();
    private @Nullable KeyResolver keyResolver;
    private OnMissingIdentity onMissingIdentity = OnMissingIdentity.USE_IP;
    private final List<RateLimitBand> bands = new ArrayList<>();
    private final Set<String> plans = new LinkedHashSet<>();
    private long cost = 1;
    private int priority;
    private boolean stop;
    private boolean enabled = true;
    private Mode mode = Mode.ENFORCE;
    private @Nullable OnLimitExceed onLimitExceed;
    private @Nullable OnStoreFailure onStoreFailure;
    private final Map<String, Object> metadata = new LinkedHashMap<>();
    private @Nullable String createdAt;
    private @Nullable String updatedAt;

    private Builder() {}

    /** Names the rule. */
    public Builder id(String value) {
      id = AllowedValues.id("id", value);
      return this;
    }

    /** Names the rule set; {@value RateLimitRule#DEFAULT_RULE_SET} unless said. */
    public Builder ruleSetId(String value) {
      ruleSetId = AllowedValues.id("ruleSetId", value);
      return this;
    }

    /** Sets what the rule does; {@link Action#LIMIT} unless said. */
    public Builder action(Action value) {
      action = Objects.requireNonNull(value, "action");
      return this;
    }

    /** Adds a path pattern. */
    public Builder path(String pattern) {
      paths.add(PathPattern.parse(pattern));
      return this;
    }

    /** Adds a method. */
    public Builder method(String value) {
      if (value.isEmpty() || !value.chars().allMatch(c -> c > ' ' && c < 127)) {
        throw new IllegalArgumentException("method must be an HTTP method, was '" + value + "'");
      }
      methods.add(value.toUpperCase(Locale.ROOT));
      return this;
    }

    /** Sets the further conditions. */
    public Builder match(RuleMatch value) {
      match = Objects.requireNonNull(value, "match");
      return this;
    }

    /** Sets the key; without one, all callers share one bucket. */
    public Builder key(KeyField... fields) {
      key = List.of(fields);
      return this;
    }

    /** Sets the key to the fields of a scope. */
    public Builder limitScope(LimitScope scope) {
      if (scope == LimitScope.COMPOSITE) {
        throw new IllegalArgumentException("limitScope COMPOSITE needs fields; use key(…)");
      }
      key = scope.fields();
      return this;
    }

    /** Sets a resolver of the application's own in place of key fields. */
    public Builder keyResolver(KeyResolver value) {
      keyResolver = Objects.requireNonNull(value, "keyResolver");
      return this;
    }

    /** Sets what happens when the request lacks a key field. */
    public Builder onMissingIdentity(OnMissingIdentity value) {
      onMissingIdentity = Objects.requireNonNull(value, "onMissingIdentity");
      return this;
    }

    /** Adds a band; all bands must pass. */
    public Builder addBand(RateLimitBand band) {
      bands.add(Objects.requireNonNull(band, "band"));
      return this;
    }

    /** Adds the bands of a named plan. */
    public Builder plan(String planId) {
      plans.add(AllowedValues.id("plan", planId));
      return this;
    }

    /** Sets by what a request's cost is multiplied, 1 to 10^12. */
    public Builder cost(long value) {
      cost = AllowedValues.between("cost", value, 1, RateLimitBand.MAX_TOKENS);
      return this;
    }

    /** Sets the priority; higher is evaluated and reported first. */
    public Builder priority(int value) {
      priority = value;
      return this;
    }

    /** Sets whether rules after this one are not considered when it matches. */
    public Builder stop(boolean value) {
      stop = value;
      return this;
    }

    /** Switches the rule on or off. */
    public Builder enabled(boolean value) {
      enabled = value;
      return this;
    }

    /** Sets whether a denial by the rule counts. */
    public Builder mode(Mode value) {
      mode = Objects.requireNonNull(value, "mode");
      return this;
    }

    /** Sets what happens to a caller over the limit. */
    public Builder onLimitExceed(OnLimitExceed value) {
      onLimitExceed = Objects.requireNonNull(value, "onLimitExceed");
      return this;
    }

    /** Sets what decides when the store cannot. */
    public Builder onStoreFailure(OnStoreFailure value) {
      onStoreFailure = Objects.requireNonNull(value, "onStoreFailure");
      return this;
    }

    /** Adds to the free map handed to listeners. */
    public Builder metadata(String name, Object value) {
      metadata.put(name, Objects.requireNonNull(value, name));
      return this;
    }

    /** Keeps when the rule was made, in the words of its source. */
    public Builder createdAt(String value) {
      createdAt = Objects.requireNonNull(value, "createdAt");
      return this;
    }

    /** Keeps when the rule was last changed, in the words of its source. */
    public Builder updatedAt(String value) {
      updatedAt = Objects.requireNonNull(value, "updatedAt");
      return this;
    }

    /** Builds the rule. */
    public RateLimitRule build() {
      if (id == null) {
        throw new IllegalArgumentException("id is required");
      }
      RuleConsistency.check(action, bands, plans, key, paths);
      return new RateLimitRule(this, id);
    }
  }
}
