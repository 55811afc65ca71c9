package dev.redline.binding;

import dev.redline.binding.InvalidBindingException.Problem;
import dev.redline.binding.internal.expression.PortableLanguage;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The call plans of an application's limited methods; one object for each application. Thread-safe.
 *
 * <p>An adapter adds all classes with {@link #add} while the application starts, then calls {@link
 * #check} once, which reports all problems together. Methods of classes that come later are planned
 * by {@link #of}.
 */
public final class CallPlans {
  private static final String CONTINUATION = "kotlin.coroutines.Continuation";

  private final RateLimitHandler handler;
  private final @Nullable RateLimitEngine engine;
  private final LimitCompiler compiler;
  private final AnnotationLookup annotations;
  private final List<ReturnAdapter> adapters;
  private final OnLimitExceed onLimitExceed;
  private final boolean decidedByServer;
  private final ConcurrentMap<MethodOfClass, Planned> plans = new ConcurrentHashMap<>();
  private final Map<String, Declared> declared = new LinkedHashMap<>();
  private final List<RateLimitRule> undeclared = new ArrayList<>();
  private final Map<String, Set<String>> planNames = new LinkedHashMap<>();
  private final Map<String, Set<String>> ruleSets = new LinkedHashMap<>();
  private final List<NamedCost> planCosts = new ArrayList<>();
  private final Set<Problem> problems = new LinkedHashSet<>();

  private record MethodOfClass(Method method, Class<?> type) {}

  /** A plan, or problems, or neither for a method without limits. */
  private record Planned(@Nullable MethodPlan plan, List<Problem> problems) {
    static final Planned NOT_LIMITED = new Planned(null, List.of());
  }

  /** The rule of an id, and what it was written on. */
  private record Declared(RateLimitRule rule, Object source, String location) {}

  /** The place of one annotation: the element, and which of its annotations. */
  private record Place(Object element, int index) {}

  /** What a call costs under a plan. */
  private record NamedCost(String plan, long tokens, String location) {}

  private CallPlans(Builder builder) {
    this.handler = builder.handler;
    this.engine = builder.engine;
    Expression.Compiler expressions = PortableLanguage.with(builder.expressions);
    KeyCompiler keys = new KeyCompiler(expressions, builder.identity, builder.keyResolvers);
    this.compiler = new LimitCompiler(expressions, keys, builder.placeholders);
    this.annotations = new AnnotationLookup(builder.annotations);
    this.adapters = List.copyOf(builder.adapters);
    this.onLimitExceed = builder.onLimitExceed;
    this.decidedByServer = builder.decidedByServer;
  }

  /** Returns a builder of plans that a handler decides. */
  public static Builder builder(RateLimitHandler handler) {
    return new Builder(handler);
  }

  /** Returns whether a method has limits, without planning it; for pointcuts. */
  public boolean isLimited(Method method, Class<?> type) {
    if (!annotations.mayHaveLimits(type)) {
      return false;
    }
    try {
      return !annotations.find(MethodFamily.mostSpecific(method, type), type).isEmpty();
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  /**
   * Returns the plan of a method, or null if it has no limits.
   *
   * @param method the method that is called; it may be that of an interface, or a bridge
   * @param type the class of the object, not of its proxy
   * @throws InvalidBindingException if the annotations of the method cannot be used
   */
  public @Nullable CallPlan of(Method method, Class<?> type) {
    Planned planned = planned(method, type);
    if (!planned.problems.isEmpty()) {
      throw new InvalidBindingException(planned.problems);
    }
    return planned.plan;
  }

  /**
   * Plans all limited methods of a class, and keeps their problems for {@link #check}.
   *
   * @param type the class of objects whose calls are limited, not of a proxy
   * @return the limited methods
   */
  public List<Method> add(Class<?> type) {
    if (!annotations.mayHaveLimits(type)) {
      return List.of();
    }
    Set<Method> limited = new LinkedHashSet<>();
    for (Class<?> each : MethodFamily.types(type)) {
      Method[] methods = each.getDeclaredMethods();
      // Reflection has no order; messages should have one.
      Arrays.sort(methods, Comparator.comparing(Method::toGenericString));
      for (Method method : methods) {
        if (!method.isSynthetic()) {
          Method specific = MethodFamily.mostSpecific(method, type);
          Planned planned = planned(specific, type);
          addProblems(planned.problems);
          if (planned.plan != null || !planned.problems.isEmpty()) {
            limited.add(specific);
          }
        }
      }
    }
    return List.copyOf(limited);
  }

  /**
   * Returns the problems of the limits of a method that cannot be loaded yet, for a check at build
   * time. Fallbacks, ids, plans and rule sets are not looked up, and nothing is planned.
   */
  public List<Problem> problemsOf(MethodModel method, List<LimitSpec> limits) {
    List<Problem> found = new ArrayList<>();
    for (LimitSpec limit : limits) {
      compiler.compile(
          limit, method, message -> found.add(new Problem(method.location(), message)));
    }
    return found;
  }

  /**
   * Adds a problem that only the adapter can see, such as a method that no proxy can intercept.
   *
   * @param location the class and method
   */
  public void addProblem(String location, String message) {
    addProblems(List.of(new Problem(location, message)));
  }

  private void addProblems(List<Problem> found) {
    synchronized (problems) {
      problems.addAll(found);
    }
  }

  /**
   * Declares the rules of all plans to the engine, and reports all problems so far: those of the
   * added classes, and plans and rule sets that the rules in force do not have.
   *
   * @throws InvalidBindingException if there is a problem
   */
  public void check() {
    List<Problem> all = new ArrayList<>();
    synchronized (problems) {
      all.addAll(problems);
    }
    try {
      declare();
    } catch (IllegalArgumentException e) {
      all.add(new Problem("rules of annotations", String.valueOf(e.getMessage())));
    }
    addUnknownNames(all);
    if (decidedByServer) {
      addReplacedRules(all);
    }
    if (!all.isEmpty()) {
      throw new InvalidBindingException(all);
    }
  }

  private void addUnknownNames(List<Problem> all) {
    RuleBook book = engine == null ? null : engine.book();
    if (engine == null || book == null) {
      // A remote handler, or an engine that loads its rules later, may have other names.
      return;
    }
    synchronized (declared) {
      planNames.forEach(
          (name, locations) -> {
            if (!engine.hasPlan(name)) {
              locations.forEach(
                  at -> all.add(new Problem(at, "unknown plan '" + name + "'" + known(book))));
            }
          });
      ruleSets.forEach(
          (name, locations) -> {
            if (!engine.hasRuleSet(name)) {
              locations.forEach(
                  at ->
                      all.add(
                          new Problem(
                              at,
                              "unknown rule set '"
                                  + name
                                  + "'; there are "
                                  + book.ruleSets().keySet())));
            }
          });
      for (NamedCost cost : planCosts) {
        book.plan(cost.plan)
            .filter(plan -> isTooSmall(plan, cost.tokens))
            .ifPresent(
                plan ->
                    all.add(
                        new Problem(
                            cost.location,
                            "a call costs "
                                + cost.tokens
                                + " tokens, more than plan '"
                                + cost.plan
                                + "' has room for: no call would ever be allowed")));
      }
    }
  }

  /** Reports limits whose id a rule of the server has: the key of that rule would count. */
  private void addReplacedRules(List<Problem> all) {
    RuleBook book = engine == null ? null : engine.book();
    if (book == null) {
      return;
    }
    synchronized (declared) {
      for (Declared each : declared.values()) {
        RateLimitRule inForce = book.rule(each.rule.id()).orElse(each.rule);
        if (!inForce.equals(each.rule)) {
          all.add(
              new Problem(
                  each.location,
                  "the Redline server that decides has a rule '"
                      + each.rule.id()
                      + "' of its own: set another id"));
        }
      }
    }
  }

  private static String known(RuleBook book) {
    return book.plans().isEmpty()
        ? "; no plans are defined"
        : "; there are " + book.plans().keySet().stream().sorted().toList();
  }

  private static boolean isTooSmall(RateLimitPlan plan, long tokens) {
    return plan.bands().stream().anyMatch(band -> tokens > band.capacity());
  }

  /** Returns the rules that the annotations declare, by their ids. */
  public List<RateLimitRule> rules() {
    synchronized (declared) {
      return declared.values().stream().map(Declared::rule).toList();
    }
  }

  private void declare() {
    if (engine == null) {
      return;
    }
    synchronized (declared) {
      if (!undeclared.isEmpty()) {
        engine.declare(List.copyOf(undeclared));
        undeclared.clear();
      }
    }
  }

  private Planned planned(Method method, Class<?> type) {
    MethodOfClass called = new MethodOfClass(method, type);
    Planned known = plans.get(called);
    if (known != null) {
      return known;
    }
    Method specific = MethodFamily.mostSpecific(method, type);
    Planned planned =
        plans.computeIfAbsent(new MethodOfClass(specific, type), absent -> plan(specific, type));
    plans.put(called, planned);
    return planned;
  }

  private Planned plan(Method method, Class<?> type) {
    String location = location(method, type);
    List<Problem> found = new ArrayList<>();
    List<LimitSpec> specs;
    try {
      specs = annotations.find(method, type);
    } catch (IllegalArgumentException e) {
      return new Planned(null, List.of(new Problem(location, String.valueOf(e.getMessage()))));
    }
    if (specs.isEmpty()) {
      return Planned.NOT_LIMITED;
    }
    MethodModel model = model(method, type, location);
    checkKind(method, message -> found.add(new Problem(location, message)));
    List<PlannedLimit> limits = new ArrayList<>();
    for (int i = 0; i < specs.size(); i++) {
      LimitSpec spec = specs.get(i);
      PlannedLimit limit =
          compiler.compile(spec, model, message -> found.add(new Problem(location, message)));
      if (limit != null) {
        limits.add(limit);
        Object element = spec.id().isEmpty() ? new MethodOfClass(method, type) : spec.source();
        note(limit, new Place(element, i), location, found);
      }
    }
    if (decidedByServer && specs.size() > 1 && !isOneCheck(specs)) {
      found.add(
          new Problem(
              location,
              "the Redline server that decides takes several limits of one call only if they are"
                  + " plans with the same key and tokens: use one limit, or rl.handler=EMBEDDED"));
    }
    Fallback fallback = fallback(specs, method, type, location, found);
    if (!found.isEmpty()) {
      return new Planned(null, found);
    }
    ReturnAdapter adapter =
        adapters.stream()
            .filter(each -> each.accepts(method.getReturnType()))
            .findFirst()
            .orElse(null);
    boolean mayWait = specs.stream().anyMatch(this::mayWait);
    return new Planned(
        new MethodPlan(location, limits, handler, fallback, adapter, mayWait, this::declare),
        List.of());
  }

  /** Returns whether a server can decide all limits by one check: plans under one key. */
  private static boolean isOneCheck(List<LimitSpec> specs) {
    LimitSpec first = specs.get(0);
    return specs.stream()
        .allMatch(
            spec ->
                !spec.plans().isEmpty()
                    && spec.key().equals(first.key())
                    && spec.tokens() == first.tokens());
  }

  private boolean mayWait(LimitSpec spec) {
    return spec.onLimitExceed().stream().findFirst().orElse(onLimitExceed)
        == OnLimitExceed.WAIT_FOR_REFILL;
  }

  private static void checkKind(Method method, Consumer<String> problem) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
      problem.accept(
          "calls of a "
              + (Modifier.isPrivate(modifiers) ? "private" : "static")
              + " method cannot be intercepted");
    }
    Class<?>[] types = method.getParameterTypes();
    if (types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION)) {
      problem.accept(
          "suspend functions are not supported; limit the function that starts the coroutine");
    }
  }

  /** Notes the names that a limit uses; reports an id that another limit has. */
  private void note(PlannedLimit limit, Place place, String location, List<Problem> found) {
    synchronized (declared) {
      limit.names(
          (plan, tokens) -> {
            planNames.computeIfAbsent(plan, absent -> new LinkedHashSet<>()).add(location);
            planCosts.add(new NamedCost(plan, tokens, location));
          },
          set -> ruleSets.computeIfAbsent(set, absent -> new LinkedHashSet<>()).add(location));
      RateLimitRule rule = limit.ruleOrNull();
      if (rule == null) {
        return;
      }
      Declared other = declared.putIfAbsent(rule.id(), new Declared(rule, place, location));
      if (other == null) {
        undeclared.add(rule);
      } else if (!other.source.equals(place) || !other.rule.equals(rule)) {
        found.add(
            new Problem(
                location,
                "the id '"
                    + rule.id()
                    + "' belongs to a limit of "
                    + other.location
                    + " already: set another id"));
      }
    }
  }

  private static @Nullable Fallback fallback(
      List<LimitSpec> specs, Method method, Class<?> type, String location, List<Problem> found) {
    List<String> names =
        specs.stream().map(LimitSpec::fallbackMethod).filter(name -> !name.isEmpty()).toList();
    if (names.isEmpty()) {
      return null;
    }
    if (names.stream().distinct().count() > 1) {
      found.add(new Problem(location, "a method has one fallbackMethod, not " + names));
      return null;
    }
    try {
      return Fallback.find(names.get(0), method, type);
    } catch (IllegalArgumentException e) {
      found.add(new Problem(location, String.valueOf(e.getMessage())));
      return null;
    }
  }

  private static String location(Method method, Class<?> type) {
    List<String> parameters = new ArrayList<>();
    for (Class<?> parameter : method.getParameterTypes()) {
      parameters.add(parameter.getSimpleName());
    }
    return type.getName() + "." + method.getName() + "(" + String.join(", ", parameters) + ")";
  }

  private static MethodModel model(Method method, Class<?> type, String location) {
    Parameter[] parameters = method.getParameters();
    boolean named = Arrays.stream(parameters).allMatch(Parameter::isNamePresent);
    return new MethodModel(
        type.getSimpleName(),
        method.getName(),
        location,
        named ? Arrays.stream(parameters).map(Parameter::getName).toList() : List.of(),
        List.of(method.getGenericParameterTypes()));
  }

  /** Builds call plans. */
  public static final class Builder {
    private final RateLimitHandler handler;
    private @Nullable RateLimitEngine engine;
    private Expression.@Nullable Compiler expressions;
    private IdentitySettings identity = IdentitySettings.DEFAULT;
    private Function<String, @Nullable KeyResolver> keyResolvers = name -> null;
    private UnaryOperator<String> placeholders =
        text -> {
          throw new IllegalArgumentException("\"" + text + "\": there are no properties here");
        };
    private @Nullable Function<AnnotatedElement, List<RateLimit>> annotations;
    private OnLimitExceed onLimitExceed = OnLimitExceed.REJECT;
    private boolean decidedByServer;
    private final List<ReturnAdapter> adapters = new ArrayList<>(List.of(new StageAdapter()));

    private Builder(RateLimitHandler handler) {
      this.handler = Objects.requireNonNull(handler, "handler");
      this.engine = handler instanceof RateLimitEngine own ? own : null;
    }

    /**
     * Sets the engine that the rules of annotations are declared to, and whose plans and rule sets
     * they may name: by default the handler, if it is an engine.
     */
    public Builder engine(RateLimitEngine value) {
      engine = value;
      return this;
    }

    /** Sets the compiler of expressions that are not portable; without it they are errors. */
    public Builder expressions(Expression.Compiler value) {
      expressions = value;
      return this;
    }

    /** Sets how raw client properties become identities; as in the engine's rule books. */
    public Builder identity(IdentitySettings value) {
      identity = value;
      return this;
    }

    /** Sets where resolvers come from that {@code key} names; null for an unknown name. */
    public Builder keyResolvers(Function<String, @Nullable KeyResolver> value) {
      keyResolvers = value;
      return this;
    }

    /**
     * Sets what replaces {@code ${…}} in a text; it fails with an {@link IllegalArgumentException}
     * for an unknown name.
     */
    public Builder placeholders(UnaryOperator<String> value) {
      placeholders = value;
      return this;
    }

    /**
     * Sets how the annotations of one element are read, with meta-annotations but without those of
     * other elements; by default by reflection.
     */
    public Builder annotations(Function<AnnotatedElement, List<RateLimit>> value) {
      annotations = value;
      return this;
    }

    /** Sets what happens to callers above limits without a policy; as in the engine's settings. */
    public Builder onLimitExceed(OnLimitExceed value) {
      onLimitExceed = value;
      return this;
    }

    /**
     * Sets whether a Redline server decides, whose checks have one key: then methods with several
     * limits are problems, unless these are plans with the same key and tokens.
     */
    public Builder decidedByServer(boolean value) {
      decidedByServer = value;
      return this;
    }

    /** Adds an adapter of an asynchronous return type. */
    public Builder returnAdapter(ReturnAdapter value) {
      adapters.add(value);
      return this;
    }

    /** Builds the plans. */
    public CallPlans build() {
      return new CallPlans(this);
    }
  }
}
