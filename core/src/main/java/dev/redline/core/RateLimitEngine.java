package dev.redline.core;

import dev.redline.core.key.IdentityScheme;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.CompiledRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.rule.RuleIndex;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporter.Verdict;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The orchestration of a decision: match rules, resolve keys, take all or nothing, merge.
 *
 * <p>Thread-safe. Decides on the caller's thread where the store needs no I/O. The rule book is
 * read once per decision and swapped by one reference write: a decision sees one book, whole.
 * Closing it ends the threads of its listeners, if it has some; the stores are their owner's.
 */
public final class RateLimitEngine implements RateLimiter, RateLimitHandler, AutoCloseable {
  private static final Logger LOG = System.getLogger(RateLimitEngine.class.getName());

  private final StoreTiers tiers;
  private final EngineSettings settings;
  private final MetricsExporter metrics;
  private final Announcer[] listeners;
  private final boolean timed;
  private volatile @Nullable Rules rules;
  private volatile boolean enabled = true;
  private final AtomicBoolean warned = new AtomicBoolean();

  private RateLimitEngine(Builder builder) {
    this.settings = builder.settings;
    this.metrics = builder.metrics;
    this.tiers = new StoreTiers(builder.store, builder.fallback, settings, metrics);
    this.listeners =
        builder.listeners.stream()
            .map(listener -> new Announcer(listener, metrics))
            .toArray(Announcer[]::new);
    this.timed = metrics != MetricsExporter.NONE;
    if (builder.book != null) {
      use(builder.book);
    }
  }

  /** Returns a builder of an engine on a store; it has no rules until told to use some. */
  public static Builder builder(StorageProvider store) {
    return new Builder(store);
  }

  /** Puts a rule book in force; decisions under way finish by the one they began with. */
  public void use(RuleBook book) {
    metrics.inForce(book);
    rules = Rules.of(book, metrics);
    tiers.rulesChanged();
  }

  /** Returns the rule book in force, or null if there never was one. */
  public @Nullable RuleBook book() {
    Rules current = rules;
    return current == null ? null : current.book();
  }

  /** Switches limiting on or off; while off, everything passes. */
  public void enable(boolean value) {
    enabled = value;
  }

  /** Returns whether limiting is switched on. */
  public boolean enabled() {
    return enabled;
  }

  @Override
  public RateLimitResult allow(String key, List<String> planNames, int tokens) {
    return decideNow(Question.ofPlans(planNames, key, tokens), false);
  }

  @Override
  public CompletionStage<RateLimitResult> allowAsync(
      String key, List<String> planNames, int tokens) {
    return asking(() -> Question.ofPlans(planNames, key, tokens));
  }

  @Override
  public RateLimitResult check(RequestContext request) {
    return decideNow(Question.ofRequest(request), false);
  }

  @Override
  public RateLimitResult check(String ruleSetId, RequestContext request) {
    return decideNow(Question.ofRequest(ruleSetId, request), false);
  }

  @Override
  public CompletionStage<RateLimitResult> checkAsync(RequestContext request) {
    return decide(Question.ofRequest(request), false);
  }

  @Override
  public CompletionStage<RateLimitResult> checkAsync(String ruleSetId, RequestContext request) {
    return decide(Question.ofRequest(ruleSetId, request), false);
  }

  @Override
  public CompletionStage<RateLimitResult> handle(Question question) {
    return decide(question, false);
  }

  private CompletionStage<RateLimitResult> asking(java.util.function.Supplier<Question> question) {
    try {
      return decide(question.get(), false);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Decides, waiting for the store if it does I/O.
   *
   * @param dryRun whether to answer exactly that and take, count and tell nothing
   * @throws IllegalArgumentException if the question has no answer
   */
  public RateLimitResult decideNow(Question question, boolean dryRun) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = new Evaluation(settings.shadow(), dryRun);
    RateLimitResult result = prepare(question, evaluation, dryRun);
    if (result == null) {
      Acquisition acquisition = evaluation.acquisition();
      Outcome outcome = new Outcome();
      result =
          tiers.acquireNow(acquisition, outcome)
              ? evaluation.finish(outcome)
              : tiers.askAndWait(evaluation, acquisition);
    }
    return told(question, evaluation, result, dryRun, start);
  }

  /**
   * Decides without waiting; see {@link RateLimitHandler#handle}.
   *
   * @param dryRun whether to answer exactly that and take, count and tell nothing
   */
  public CompletionStage<RateLimitResult> decide(Question question, boolean dryRun) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = new Evaluation(settings.shadow(), dryRun);
    RateLimitResult result;
    try {
      result = prepare(question, evaluation, dryRun);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (result == null) {
      Acquisition acquisition = evaluation.acquisition();
      Outcome outcome = new Outcome();
      if (!tiers.acquireNow(acquisition, outcome)) {
        return tiers
            .ask(evaluation, acquisition)
            .thenApply(answer -> told(question, evaluation, answer, dryRun, start));
      }
      result = evaluation.finish(outcome);
    }
    return CompletableFuture.completedFuture(told(question, evaluation, result, dryRun, start));
  }

  /** Finds out what applies; returns the result if no store has to be asked, else null. */
  private @Nullable RateLimitResult prepare(
      Question question, Evaluation evaluation, boolean dryRun) {
    if (!enabled) {
      return RateLimitResult.of(Reason.DISABLED);
    }
    Rules current = rules;
    if (current == null) {
      return missingRules();
    }
    if (question instanceof Question.OfRequest ofRequest) {
      return prepare(ofRequest, evaluation, current, dryRun);
    }
    if (question instanceof Question.OfPlans ofPlans) {
      return prepare(ofPlans, evaluation, current);
    }
    return prepare((Question.OfRule) question, evaluation, current);
  }

  private RateLimitResult missingRules() {
    if (settings.missingRules() == EngineSettings.MissingRules.REJECT) {
      return RateLimitResult.of(Reason.MISSING_RULE_SET);
    }
    if (!warned.get() && warned.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          (rules == null
                  ? "no rules are loaded"
                  : "the rule set '" + settings.defaultRuleSetId().orElse("") + "' does not exist")
              + ": every request is allowed, see rl.missing-rule-behavior");
    }
    return RateLimitResult.of(Reason.NO_MATCHING_RULE);
  }

  private @Nullable RateLimitResult prepare(
      Question.OfRequest question, Evaluation evaluation, Rules current, boolean dryRun) {
    RuleIndex index = index(question, current.book());
    if (index == null) {
      return missingRules();
    }
    evaluation.match(index, question.request(), current);
    RateLimitResult result = evaluation.withoutStore();
    if (result != null && result.reason() == Reason.NO_MATCHING_RULE && !dryRun) {
      current.noMatch(question.ruleSetId().or(settings::defaultRuleSetId)).count(Verdict.ALLOWED);
    }
    return result;
  }

  /** Returns the rules to look at, or null if the default rule set does not exist. */
  private @Nullable RuleIndex index(Question.OfRequest question, RuleBook book) {
    if (question.ruleSetId().isPresent()) {
      String id = question.ruleSetId().get();
      RuleIndex index = book.index(id);
      if (index == null) {
        throw new UnknownNameException("rule set", id);
      }
      return index;
    }
    return settings.defaultRuleSetId().isPresent()
        ? book.index(settings.defaultRuleSetId().get())
        : book.everything();
  }

  private static @Nullable RateLimitResult prepare(
      Question.OfPlans question, Evaluation evaluation, Rules current) {
    List<String> names = question.plans();
    demand(current.plan(names.get(0)), question, evaluation);
    for (int i = 1; i < names.size(); i++) {
      Rules.Plan plan = current.plan(names.get(i));
      if (names.indexOf(names.get(i)) == i) {
        demand(plan, question, evaluation);
      }
    }
    return null;
  }

  private static void demand(Rules.Plan plan, Question.OfPlans question, Evaluation evaluation) {
    String identity = IdentityScheme.ofPlanKey(question.key());
    evaluation.demand(plan.limits(), identity, question.cost(), plan.claim());
  }

  private static @Nullable RateLimitResult prepare(
      Question.OfRule question, Evaluation evaluation, Rules current) {
    CompiledRule rule = current.book().rule(question.ruleId()).orElse(null);
    if (rule != null && !rule.rule().enabled()) {
      return RateLimitResult.builder(Reason.DISABLED)
          .rule(rule.rule().ruleSetId(), rule.rule().id())
          .build();
    }
    if (rule != null && rule.rule().action() != Action.LIMIT) {
      evaluation.act(rule, current.claim(rule));
      return evaluation.withoutStore();
    }
    evaluation.demand(question, rule, current.claimOf(rule));
    return null;
  }

  /**
   * Makes the buckets of some rules fresh ones, on all nodes within a second.
   *
   * @param what the rules, or one caller of a rule
   * @return the ids of the rules, when it is done; or a failure if the store cannot do it
   * @throws UnknownNameException if there is no such rule or rule set
   * @throws IllegalArgumentException if the rule cannot have such a caller
   */
  public CompletionStage<List<String>> reset(BucketReset what) {
    Rules current = rules;
    if (current == null) {
      throw new UnknownNameException(what.kind(), what.name());
    }
    return what.in(current.book(), tiers);
  }

  /** Takes a question apart; takes, counts and tells nothing. */
  public CompletionStage<Explanation> explain(Question question) {
    Rules current = rules;
    if (current == null || !enabled) {
      return decide(question, true).thenApply(result -> new Explanation(result, List.of()));
    }
    try {
      RuleIndex index =
          question instanceof Question.OfRequest ofRequest
              ? index(ofRequest, current.book())
              : null;
      return new Explainer(question, current, index, settings).explain(tiers::peek, this::decide);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private RateLimitResult told(
      Question question,
      Evaluation evaluation,
      RateLimitResult result,
      boolean dryRun,
      long start) {
    if (dryRun) {
      return result;
    }
    for (Announcer listener : listeners) {
      listener.tell(question, result, evaluation);
    }
    if (timed) {
      metrics.checked(System.nanoTime() - start);
    }
    return result;
  }

  @Override
  public void close() {
    for (Announcer listener : listeners) {
      listener.close();
    }
  }

  /** Builds an engine. */
  public static final class Builder {
    private final StorageProvider store;
    private @Nullable StorageProvider fallback;
    private @Nullable RuleBook book;
    private EngineSettings settings = EngineSettings.DEFAULT;
    private MetricsExporter metrics = MetricsExporter.NONE;
    private List<DecisionListener> listeners = List.of();

    private Builder(StorageProvider store) {
      this.store = Objects.requireNonNull(store, "store");
    }

    /** Sets the store of this node that decides for {@code LOCAL} rules while the other fails. */
    public Builder fallback(StorageProvider value) {
      fallback = value;
      return this;
    }

    /** Sets the first rule book. */
    public Builder book(RuleBook value) {
      book = value;
      return this;
    }

    /** Sets how to decide where rules are silent. */
    public Builder settings(EngineSettings value) {
      settings = value;
      return this;
    }

    /** Sets where decisions are counted. */
    public Builder metrics(MetricsExporter value) {
      metrics = value;
      return this;
    }

    /** Sets who is told of decisions. */
    public Builder listeners(List<DecisionListener> values) {
      listeners = List.copyOf(values);
      return this;
    }

    /** Builds the engine. */
    public RateLimitEngine build() {
      return new RateLimitEngine(this);
    }
  }
}
