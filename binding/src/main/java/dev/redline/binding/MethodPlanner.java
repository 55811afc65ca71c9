package dev.redline.binding;

import dev.redline.binding.InvalidBindingException.Problem;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.rule.OnLimitExceed;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes the plan of one method: compiles its limits, finds its fallback, collects its problems. */
final class MethodPlanner {
  private static final String CONTINUATION = "kotlin.coroutines.Continuation";

  private final RateLimitHandler handler;
  private final AnnotationLookup annotations;
  private final LimitCompiler compiler;
  private final DeclaredLimits declared;
  private final List<ReturnAdapter> adapters;
  private final OnLimitExceed onLimitExceed;
  private final boolean decidedByServer;

  /** A plan, or problems, or neither for a method without limits. */
  record Planned(@Nullable MethodPlan plan, List<Problem> problems) {
    static final Planned NOT_LIMITED = new Planned(null, List.of());
  }

  MethodPlanner(
      RateLimitHandler handler,
      AnnotationLookup annotations,
      LimitCompiler compiler,
      DeclaredLimits declared,
      List<ReturnAdapter> adapters,
      OnLimitExceed onLimitExceed,
      boolean decidedByServer) {
    this.handler = handler;
    this.annotations = annotations;
    this.compiler = compiler;
    this.declared = declared;
    this.adapters = adapters;
    this.onLimitExceed = onLimitExceed;
    this.decidedByServer = decidedByServer;
  }

  /** Plans a method, the most specific one of its class. */
  Planned plan(Method method, Class<?> type) {
    String location = location(method, type);
    List<Problem> found = new ArrayList<>();
    Consumer<String> problem = message -> found.add(new Problem(location, message));
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
    checkKind(method, problem);
    List<PlannedLimit> limits = new ArrayList<>();
    for (int i = 0; i < specs.size(); i++) {
      LimitSpec spec = specs.get(i);
      PlannedLimit limit = compiler.compile(spec, model, problem);
      if (limit != null) {
        limits.add(limit);
        Object element = spec.id().isEmpty() ? List.of(method, type) : spec.source();
        declared.add(limit, new DeclaredLimits.Place(element, i), location, problem);
      }
    }
    if (decidedByServer && specs.size() > 1 && !isOneCheck(specs)) {
      problem.accept(
          "the Redline server that decides takes several limits of one call only if they are"
              + " plans with the same key and tokens: use one limit, or rl.handler=EMBEDDED");
    }
    Fallback fallback = fallback(specs, method, type, problem);
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
        new MethodPlan(location, limits, handler, fallback, adapter, mayWait, declared::declare),
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

  private static @Nullable Fallback fallback(
      List<LimitSpec> specs, Method method, Class<?> type, Consumer<String> problem) {
    List<String> names =
        specs.stream().map(LimitSpec::fallbackMethod).filter(name -> !name.isEmpty()).toList();
    if (names.isEmpty()) {
      return null;
    }
    if (names.stream().distinct().count() > 1) {
      problem.accept("a method has one fallbackMethod, not " + names);
      return null;
    }
    try {
      return Fallback.find(names.get(0), method, type);
    } catch (IllegalArgumentException e) {
      problem.accept(String.valueOf(e.getMessage()));
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
}
