package dev.redline.core.internal.rule;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The compiled side of a {@link RuleBook}: what a decision reads. Rules have their plans resolved,
 * limits are compiled, and each rule set has an index over paths. Immutable.
 */
public final class CompiledRules {
  private final List<CompiledRule> rules;
  private final Map<String, CompiledRule> rulesById = new HashMap<>();
  private final Map<String, BucketLimits> planLimits = new HashMap<>();
  private final Map<String, RuleIndex> indexes = new HashMap<>();
  private final RuleIndex everything;

  /**
   * Compiles rules.
   *
   * @param ordered the rules in order of evaluation
   * @param plans all plans that the rules name, by id
   * @param ruleSetIds rule sets that exist even without rules
   * @param byNameOnly the ids of rules that match no request
   * @param carryOver whether buckets outlive a change of their limits
   * @param previous the rules to take equal limits over from, so that equal limits are one object
   */
  public CompiledRules(
      List<RateLimitRule> ordered,
      Map<String, RateLimitPlan> plans,
      Set<String> ruleSetIds,
      Set<String> byNameOnly,
      IdentitySettings identity,
      boolean carryOver,
      @Nullable CompiledRules previous) {
    LimitsCompiler compiler = new LimitsCompiler(carryOver, previous);
    plans.forEach(
        (id, plan) -> planLimits.put(id, compiler.compile(OwnerKind.PLAN, id, plan.bands())));
    Map<List<KeyField>, IdentityScheme> schemes = new HashMap<>();
    List<CompiledRule> compiled = new ArrayList<>(ordered.size());
    for (RateLimitRule rule : ordered) {
      List<RateLimitPlan> named = rule.plans().stream().map(plans::get).toList();
      List<RateLimitBand> bands = PlanBands.join(rule.bands(), named);
      BucketLimits limits =
          bands.isEmpty() ? null : compiler.compile(OwnerKind.RULE, rule.id(), bands);
      List<PathPattern> paths = rule.paths().stream().map(PathPattern::parse).toList();
      IdentityScheme scheme = scheme(rule, paths, identity, schemes);
      compiled.add(new CompiledRule(rule, compiled.size(), paths, bands, limits, scheme));
    }
    this.rules = List.copyOf(compiled);
    Map<String, List<CompiledRule>> bySet = new LinkedHashMap<>();
    ruleSetIds.forEach(id -> bySet.put(id, new ArrayList<>()));
    List<CompiledRule> matching = new ArrayList<>(rules.size());
    for (CompiledRule rule : rules) {
      rulesById.put(rule.rule().id(), rule);
      if (!byNameOnly.contains(rule.rule().id())) {
        matching.add(rule);
        bySet.computeIfAbsent(rule.ruleSetId(), id -> new ArrayList<>()).add(rule);
      }
    }
    bySet.forEach((id, members) -> indexes.put(id, new RuleIndex(members)));
    this.everything =
        bySet.size() == 1 ? indexes.values().iterator().next() : new RuleIndex(matching);
  }

  /**
   * Returns how a rule names its callers; rules of one key share it, unless it reads their paths.
   */
  private static IdentityScheme scheme(
      RateLimitRule rule,
      List<PathPattern> paths,
      IdentitySettings identity,
      Map<List<KeyField>, IdentityScheme> shared) {
    boolean readsPath =
        rule.key().stream().anyMatch(field -> field.kind() == KeyField.Kind.PATH_VARIABLE);
    return readsPath
        ? new IdentityScheme(rule.key(), paths, identity)
        : shared.computeIfAbsent(rule.key(), key -> new IdentityScheme(key, List.of(), identity));
  }

  /** Returns all rules in order of evaluation; unmodifiable. */
  public List<CompiledRule> rules() {
    return rules;
  }

  /** Returns a rule by id, or null if there is no such rule. */
  public @Nullable CompiledRule rule(String id) {
    return rulesById.get(id);
  }

  /** Returns the limits of a plan, or null if there is no such plan. */
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

  /** Compiles limits; limits that the previous rules have too are taken from there. */
  private static final class LimitsCompiler {
    private final BucketLimits.Compiler compiler;
    private final Map<BucketLimits, BucketLimits> known = new HashMap<>();

    LimitsCompiler(boolean carryOver, @Nullable CompiledRules previous) {
      this.compiler = new BucketLimits.Compiler(carryOver);
      if (previous != null) {
        previous.planLimits.values().forEach(limits -> known.put(limits, limits));
        previous.rules.stream()
            .filter(CompiledRule::limiting)
            .map(CompiledRule::limits)
            .forEach(limits -> known.put(limits, limits));
      }
    }

    BucketLimits compile(OwnerKind kind, String id, List<RateLimitBand> bands) {
      BucketLimits limits = compiler.compile(kind, id, bands);
      BucketLimits same = known.get(limits);
      return same != null && same.hasLabelsOf(limits) ? same : limits;
    }
  }
}
