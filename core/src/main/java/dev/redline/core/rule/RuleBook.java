package dev.redline.core.rule;

import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.internal.rule.CompiledRules;
import dev.redline.core.key.IdentitySettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The immutable, validated, compiled snapshot of everything that decides: rule sets, plans and the
 * index over paths. Readers never lock; a change is a new book, swapped whole.
 */
public final class RuleBook implements RuleSetProvider, PlanRegistry {
  /** The order in which rules are evaluated and reported: higher priority first, then by id. */
  public static final Comparator<RateLimitRule> EVALUATION_ORDER =
      Comparator.comparingInt(RateLimitRule::priority).reversed().thenComparing(RateLimitRule::id);

  private final long version;
  private final long contentHash;
  private final Map<String, RateLimitRuleSet> ruleSets;
  private final Map<String, RateLimitPlan> plans;
  private final List<RateLimitRule> rules;
  private final Map<String, RateLimitRule> rulesById;
  private final Set<String> declared;
  private final IdentitySettings identity;
  private final boolean carryOver;
  private final CompiledRules compiled;

  private RuleBook(Builder builder) {
    this.version = builder.version;
    this.contentHash = builder.contentHash;
    this.identity = builder.identity;
    this.carryOver = builder.carryOver;
    this.declared = Set.copyOf(builder.declared);
    this.plans = Map.copyOf(builder.plans);
    this.rules = builder.rules.values().stream().sorted(EVALUATION_ORDER).toList();
    this.rulesById = Map.copyOf(builder.rules);
    Map<String, List<RateLimitRule>> bySet = new LinkedHashMap<>();
    builder.ruleSetIds.forEach(id -> bySet.put(id, new ArrayList<>()));
    for (RateLimitRule rule : rules) {
      if (!declared.contains(rule.id())) {
        bySet.computeIfAbsent(rule.ruleSetId(), id -> new ArrayList<>()).add(rule);
      }
    }
    Map<String, RateLimitRuleSet> sets = new LinkedHashMap<>();
    bySet.forEach((id, members) -> sets.put(id, new RateLimitRuleSet(id, members)));
    this.ruleSets = Collections.unmodifiableMap(sets);
    this.compiled =
        new CompiledRules(
            rules,
            plans,
            ruleSets.keySet(),
            declared,
            identity,
            carryOver,
            builder.previous == null ? null : builder.previous.compiled);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a book of the given rules, without plans. */
  public static RuleBook of(RateLimitRule... rules) {
    return builder().rules(List.of(rules)).build();
  }

  /** Returns the version of this snapshot; later ones are higher. */
  public long version() {
    return version;
  }

  /**
   * Returns a hash of the documents that the book was made of, equal in all processes that have the
   * same; 0 if it is unknown.
   */
  public long contentHash() {
    return contentHash;
  }

  /** Returns how raw client properties become identities. */
  public IdentitySettings identity() {
    return identity;
  }

  /** Returns all rules in order of evaluation; unmodifiable. */
  public List<RateLimitRule> rules() {
    return rules;
  }

  /** Returns a rule by id. */
  public Optional<RateLimitRule> rule(String id) {
    return Optional.ofNullable(rulesById.get(id));
  }

  /**
   * Returns the ids of the rules that apply only to checks that name them; see {@link
   * Builder#declared}.
   */
  public Set<String> declared() {
    return declared;
  }

  /** Returns a book that has these {@linkplain Builder#declared declared} rules as well. */
  public RuleBook withDeclared(List<RateLimitRule> values) {
    if (values.isEmpty()) {
      return this;
    }
    Builder builder =
        builder().version(version).contentHash(contentHash).identity(identity).carryOver(carryOver);
    builder.plans.putAll(plans);
    builder.rules.putAll(rulesById);
    builder.declared.addAll(declared);
    ruleSets.keySet().forEach(builder::ruleSet);
    return builder.declared(values).replacing(this).build();
  }

  /** Returns all rule sets by id; unmodifiable. */
  public Map<String, RateLimitRuleSet> ruleSets() {
    return ruleSets;
  }

  /** Returns all plans by id. */
  public Map<String, RateLimitPlan> plans() {
    return plans;
  }

  @Override
  public Optional<RateLimitRuleSet> ruleSet(String id) {
    return Optional.ofNullable(ruleSets.get(id));
  }

  @Override
  public Optional<RateLimitPlan> plan(String id) {
    return Optional.ofNullable(plans.get(id));
  }

  /**
   * Returns what the engine reads of this book. Internal: other modules of the project may call it,
   * applications must not, because its type changes without notice.
   */
  public CompiledRules compiled() {
    return compiled;
  }

  /** Builds a book; all problems are reported together. */
  public static final class Builder {
    private long version = 1;
    private long contentHash;
    private IdentitySettings identity = IdentitySettings.DEFAULT;
    private final Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
    private final Map<String, RateLimitRule> rules = new LinkedHashMap<>();
    private final Set<String> declared = new LinkedHashSet<>();
    private final Set<String> ruleSetIds = new LinkedHashSet<>();
    private final List<String> problems = new ArrayList<>();
    private @Nullable RuleBook previous;
    private boolean carryOver;

    private Builder() {}

    /** Sets the version. */
    public Builder version(long value) {
      version = value;
      return this;
    }

    /** Sets a hash of the documents that the book is made of. */
    public Builder contentHash(long value) {
      contentHash = value;
      return this;
    }

    /** Sets how raw client properties become identities. */
    public Builder identity(IdentitySettings value) {
      identity = value;
      return this;
    }

    /** Adds plans. */
    public Builder plans(List<RateLimitPlan> values) {
      for (RateLimitPlan plan : values) {
        if (plans.putIfAbsent(plan.id(), plan) != null) {
          problems.add("plan '" + plan.id() + "' is defined twice");
        }
      }
      return this;
    }

    /** Adds rules. */
    public Builder rules(List<RateLimitRule> values) {
      for (RateLimitRule rule : values) {
        if (rules.putIfAbsent(rule.id(), rule) != null) {
          problems.add("rule '" + rule.id() + "' is defined twice");
        }
      }
      return this;
    }

    /**
     * Adds rules that the application's code declares, such as those of annotations. They are in no
     * rule set and match no request: they apply only to checks that name them. A rule of the same
     * id that was added before replaces the declared one as a whole, and then matches no request
     * either.
     */
    public Builder declared(List<RateLimitRule> values) {
      for (RateLimitRule rule : values) {
        rules.putIfAbsent(rule.id(), rule);
        declared.add(rule.id());
      }
      return this;
    }

    /** Names a rule set, so that it exists even without rules. */
    public Builder ruleSet(String id) {
      ruleSetIds.add(AllowedValues.id("rule set id", id));
      return this;
    }

    /**
     * Sets whether buckets outlive a change of their limits, as far as their state means the same
     * under both; otherwise, and unless set, changed limits start with full buckets.
     */
    public Builder carryOver(boolean value) {
      carryOver = value;
      return this;
    }

    /** Names the book this one replaces, whose compiled limits are taken over where equal. */
    public Builder replacing(@Nullable RuleBook book) {
      previous = book;
      return this;
    }

    /**
     * Builds the book.
     *
     * @throws IllegalArgumentException if an id is used twice or a plan is unknown, naming each
     */
    public RuleBook build() {
      for (RateLimitRule rule : rules.values()) {
        for (String plan : rule.plans()) {
          if (!plans.containsKey(plan)) {
            problems.add("rule '" + rule.id() + "': unknown plan '" + plan + "'");
          }
        }
      }
      if (!problems.isEmpty()) {
        throw new IllegalArgumentException(String.join("; ", problems));
      }
      return new RuleBook(this);
    }
  }
}
