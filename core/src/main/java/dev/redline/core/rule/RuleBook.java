package dev.redline.core.rule;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.rule.PlanBands;
import dev.redline.core.internal.rule.RuleIndex;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
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
  private final Map<String, RateLimitRuleSet> ruleSets;
  private final Map<String, RateLimitPlan> plans;
  private final List<CompiledRule> rules;
  private final Map<String, CompiledRule> rulesById;
  private final Map<String, BucketLimits> planLimits;
  private final Map<String, RuleIndex> indexes;
  private final RuleIndex everything;
  private final IdentitySettings identity;

  private RuleBook(Builder builder) {
    this.version = builder.version;
    this.identity = builder.identity;
    this.plans = Map.copyOf(builder.plans);
    Map<BucketLimits, BucketLimits> known = builder.knownLimits();
    this.planLimits = new HashMap<>();
    plans.forEach(
        (id, plan) ->
            planLimits.put(id, intern(known, builder.limits(OwnerKind.PLAN, id, plan.bands()))));
    List<RateLimitRule> ordered = new ArrayList<>(builder.rules.values());
    ordered.sort(EVALUATION_ORDER);
    List<CompiledRule> compiled = new ArrayList<>(ordered.size());
    Map<List<KeyField>, IdentityScheme> schemes = new HashMap<>();
    for (RateLimitRule rule : ordered) {
      IdentityScheme scheme = scheme(rule, builder.identity, schemes);
      compiled.add(compile(rule, compiled.size(), scheme, builder, known));
    }
    this.rules = List.copyOf(compiled);
    this.rulesById =
        rules.stream().collect(Collectors.toMap(each -> each.rule().id(), Function.identity()));
    Map<String, List<CompiledRule>> bySet = new LinkedHashMap<>();
    builder.ruleSetIds.keySet().forEach(id -> bySet.put(id, new ArrayList<>()));
    for (CompiledRule rule : rules) {
      bySet.computeIfAbsent(rule.rule().ruleSetId(), id -> new ArrayList<>()).add(rule);
    }
    Map<String, RateLimitRuleSet> sets = new LinkedHashMap<>();
    this.indexes = new HashMap<>();
    bySet.forEach(
        (id, members) -> {
          indexes.put(id, new RuleIndex(members));
          sets.put(id, new RateLimitRuleSet(id, members.stream().map(CompiledRule::rule).toList()));
        });
    this.ruleSets = Collections.unmodifiableMap(sets);
    this.everything = bySet.size() == 1 ? indexes.values().iterator().next() : new RuleIndex(rules);
  }

  private static BucketLimits intern(
      Map<BucketLimits, BucketLimits> known, BucketLimits candidate) {
    BucketLimits same = known.get(candidate);
    return same != null && same.hasLabelsOf(candidate) ? same : candidate;
  }

  /**
   * Returns how a rule names its callers; rules of one key share it, unless it reads their paths.
   */
  private static IdentityScheme scheme(
      RateLimitRule rule, IdentitySettings identity, Map<List<KeyField>, IdentityScheme> shared) {
    boolean readsPath =
        rule.key().stream().anyMatch(field -> field.kind() == KeyField.Kind.PATH_VARIABLE);
    return readsPath
        ? new IdentityScheme(rule.key(), rule.paths(), identity)
        : shared.computeIfAbsent(rule.key(), key -> new IdentityScheme(key, List.of(), identity));
  }

  private CompiledRule compile(
      RateLimitRule rule,
      int rank,
      IdentityScheme scheme,
      Builder builder,
      Map<BucketLimits, BucketLimits> known) {
    List<RateLimitPlan> named = rule.plans().stream().map(plans::get).toList();
    List<RateLimitBand> bands = PlanBands.join(rule.bands(), named);
    BucketLimits limits =
        bands.isEmpty() ? null : intern(known, builder.limits(OwnerKind.RULE, rule.id(), bands));
    return new CompiledRule(rule, rank, bands, limits, scheme);
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

  /** Returns how raw client properties become identities. */
  public IdentitySettings identity() {
    return identity;
  }

  /** Returns all rules in order of evaluation; unmodifiable. */
  public List<CompiledRule> rules() {
    return rules;
  }

  /** Returns a rule by id. */
  public Optional<CompiledRule> rule(String id) {
    return Optional.ofNullable(rulesById.get(id));
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

  /** Returns the compiled limits of a plan, or null if there is no such plan. */
  public @Nullable BucketLimits planLimits(String id) {
    return planLimits.get(id);
  }

  /** Returns the index of a rule set, or null if there is no such set. */
  public @Nullable RuleIndex index(String ruleSetId) {
    return indexes.get(ruleSetId);
  }

  /** Returns the index over the rules of all sets as one list. */
  public RuleIndex everything() {
    return everything;
  }

  /** Builds a book; all problems are reported together. */
  public static final class Builder {
    private long version = 1;
    private IdentitySettings identity = IdentitySettings.DEFAULT;
    private final Map<String, RateLimitPlan> plans = new LinkedHashMap<>();
    private final Map<String, RateLimitRule> rules = new LinkedHashMap<>();
    private final Map<String, Boolean> ruleSetIds = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private @Nullable RuleBook previous;
    private boolean carryOver;

    private Builder() {}

    /** Sets the version. */
    public Builder version(long value) {
      version = value;
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

    /** Names a rule set, so that it exists even without rules. */
    public Builder ruleSet(String id) {
      ruleSetIds.put(AllowedValues.id("rule set id", id), true);
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

    private BucketLimits limits(OwnerKind kind, String id, List<RateLimitBand> bands) {
      return carryOver
          ? BucketLimits.carriedOver(kind, id, bands)
          : new BucketLimits(kind, id, bands);
    }

    /** Names the book this one replaces, whose compiled limits are taken over where equal. */
    public Builder replacing(@Nullable RuleBook book) {
      previous = book;
      return this;
    }

    private Map<BucketLimits, BucketLimits> knownLimits() {
      Map<BucketLimits, BucketLimits> known = new HashMap<>();
      if (previous != null) {
        previous.planLimits.values().forEach(limits -> known.put(limits, limits));
        for (CompiledRule rule : previous.rules) {
          if (rule.rule().action() == Action.LIMIT) {
            known.put(rule.limits(), rule.limits());
          }
        }
      }
      return known;
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
