package dev.redline.binding;

import dev.redline.binding.InvalidBindingException.Problem;
import dev.redline.binding.internal.expression.PortableLanguage;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RateLimitRule;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
  private final AnnotationLookup annotations;
  private final LimitCompiler compiler;
  private final DeclaredLimits declared;
  private final MethodPlanner planner;
  private final ConcurrentMap<MethodOfClass, MethodPlanner.Planned> plans =
      new ConcurrentHashMap<>();
  private final Set<Problem> problems = new LinkedHashSet<>();

  private record MethodOfClass(Method method, Class<?> type) {}

  private CallPlans(Builder builder) {
    Expression.Compiler expressions = PortableLanguage.with(builder.expressions);
    KeyCompiler keys = new KeyCompiler(expressions, builder.identity, builder.keyResolvers);
    this.compiler = new LimitCompiler(expressions, keys, builder.placeholders);
    this.annotations = new AnnotationLookup(builder.annotations);
    this.declared = new DeclaredLimits(builder.engine, builder.decidedByServer);
    this.planner =
        new MethodPlanner(
            builder.handler,
            annotations,
            compiler,
            declared,
            List.copyOf(builder.adapters),
            builder.onLimitExceed,
            builder.decidedByServer);
  }

  /** Returns a builder of plans that a handler decides. */
  public static Builder builder(RateLimitHandler handler) {
    return new Builder(handler);
  }

  /** Returns whether a method has limits, without planning it. */
  public boolean isLimited(Method method, Class<?> type) {
    return annotations.isLimited(method, type);
  }

  /**
   * Returns the plan of a method, or null if it has no limits.
   *
   * @param method the method that is called; it may be that of an interface, or a bridge
   * @param type the class of the object, not of its proxy
   * @throws InvalidBindingException if the annotations of the method cannot be used
   */
  public @Nullable CallPlan of(Method method, Class<?> type) {
    MethodPlanner.Planned planned = planned(method, type);
    if (!planned.problems().isEmpty()) {
      throw new InvalidBindingException(planned.problems());
    }
    return planned.plan();
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
          MethodPlanner.Planned planned = planned(specific, type);
          addProblems(planned.problems());
          if (planned.plan() != null || !planned.problems().isEmpty()) {
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
    declared.check(all::add);
    if (!all.isEmpty()) {
      throw new InvalidBindingException(all);
    }
  }

  /** Returns the rules that the annotations declare, by their ids. */
  public List<RateLimitRule> rules() {
    return declared.rules();
  }

  private MethodPlanner.Planned planned(Method method, Class<?> type) {
    MethodOfClass called = new MethodOfClass(method, type);
    MethodPlanner.Planned known = plans.get(called);
    if (known != null) {
      return known;
    }
    Method specific = MethodFamily.mostSpecific(method, type);
    MethodPlanner.Planned planned =
        plans.computeIfAbsent(
            new MethodOfClass(specific, type), absent -> planner.plan(specific, type));
    plans.put(called, planned);
    return planned;
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
