package dev.redline.quarkus.deployment;

import dev.redline.binding.CallPlans;
import dev.redline.binding.InvalidBindingException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/**
 * Plans all limited methods while the application is built, so that every mistake is reported then.
 * What only the running application knows is checked when it starts: properties, plans, rule sets
 * and key resolvers.
 */
final class LimitedMethodsCheck {
  private static final Pattern WHOLE_PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^{}]*}");

  /** Types of results that need no thread while a remote store decides. */
  private static final Set<Class<?>> ASYNCHRONOUS =
      Set.of(CompletionStage.class, CompletableFuture.class, Uni.class, Multi.class);

  private final CallPlans plans =
      CallPlans.builder(
              check -> CompletableFuture.completedFuture(RateLimitResult.of(Reason.ALLOWED)))
          .placeholders(LimitedMethodsCheck::assumed)
          .keyResolvers(name -> request -> null)
          .build();
  private final List<Method> limited = new ArrayList<>();

  /** Returns a text in place of one with properties, which is valid wherever that one can be. */
  private static String assumed(String text) {
    return WHOLE_PLACEHOLDER.matcher(text).matches()
        ? "1000000000000/s"
        : PLACEHOLDER.matcher(text).replaceAll("1");
  }

  void add(Class<?> type) {
    limited.addAll(plans.add(type));
  }

  /**
   * Reports all mistakes.
   *
   * @throws InvalidBindingException if there is one; names all of them
   */
  void report() {
    plans.check();
  }

  /** Returns the methods that run on an event loop and could not wait for a remote store. */
  List<String> methodsThatCannotWait() {
    return limited.stream()
        .filter(method -> !ASYNCHRONOUS.contains(method.getReturnType()))
        .filter(LimitedMethodsCheck::isNonBlocking)
        .map(method -> method.getDeclaringClass().getName() + "." + method.getName())
        .toList();
  }

  private static boolean isNonBlocking(Method method) {
    return method.isAnnotationPresent(NonBlocking.class)
        || method.getDeclaringClass().isAnnotationPresent(NonBlocking.class);
  }
}
