package dev.redline.binding;

import dev.redline.core.RateLimitExceededException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The method that is called instead of a denied one. */
final class Fallback {
  private final MethodHandle handle;
  private final boolean takesException;

  private Fallback(MethodHandle handle, boolean takesException) {
    this.handle = handle;
    this.takesException = takesException;
  }

  /**
   * Finds the fallback of a method in its class and superclasses.
   *
   * @throws IllegalArgumentException if there is none, or more than one
   */
  static Fallback find(String name, Method method, Class<?> type) {
    List<Method> matching = new ArrayList<>();
    List<Method> others = new ArrayList<>();
    for (Method candidate : methods(type, name)) {
      boolean fits = fits(candidate, method) && !candidate.equals(method);
      (fits ? matching : others).add(candidate);
    }
    if (matching.size() == 1) {
      return of(matching.get(0), method);
    }
    String parameters = parameters(method);
    if (matching.isEmpty()) {
      throw new IllegalArgumentException(
          "fallbackMethod \""
              + name
              + "\": "
              + type.getSimpleName()
              + " has no method "
              + name
              + parameters
              + " with a result of type "
              + method.getReturnType().getSimpleName()
              + (others.isEmpty() ? "" : "; not suitable: " + describe(others)));
    }
    throw new IllegalArgumentException(
        "fallbackMethod \"" + name + "\" is ambiguous: " + describe(matching));
  }

  private static String parameters(Method method) {
    List<String> types = new ArrayList<>();
    for (Class<?> type : method.getParameterTypes()) {
      types.add(type.getSimpleName());
    }
    return "(" + String.join(", ", types) + ")";
  }

  private static String describe(List<Method> methods) {
    return String.join(
        ", ",
        methods.stream().map(method -> method.getName() + parameters(method)).sorted().toList());
  }

  /** Returns the methods of a name that are not overridden, of the class and its superclasses. */
  private static List<Method> methods(Class<?> type, String name) {
    Map<List<Class<?>>, Method> found = new LinkedHashMap<>();
    for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
      for (Method method : each.getDeclaredMethods()) {
        if (method.getName().equals(name) && !method.isSynthetic()) {
          found.putIfAbsent(List.of(method.getParameterTypes()), method);
        }
      }
    }
    for (Method method : type.getMethods()) {
      if (method.getName().equals(name) && !method.isSynthetic()) {
        found.putIfAbsent(List.of(method.getParameterTypes()), method);
      }
    }
    return List.copyOf(found.values());
  }

  private static boolean fits(Method candidate, Method method) {
    Class<?>[] given = method.getParameterTypes();
    Class<?>[] taken = candidate.getParameterTypes();
    boolean withException =
        taken.length == given.length + 1
            && taken[given.length].isAssignableFrom(RateLimitExceededException.class)
            && Throwable.class.isAssignableFrom(taken[given.length]);
    if (taken.length != given.length && !withException) {
      return false;
    }
    Class<?> result = method.getReturnType();
    return Arrays.equals(given, Arrays.copyOf(taken, given.length))
        && (result == void.class || result.isAssignableFrom(candidate.getReturnType()))
        && (!Modifier.isStatic(method.getModifiers())
            || Modifier.isStatic(candidate.getModifiers()));
  }

  private static Fallback of(Method found, Method method) {
    try {
      found.setAccessible(true);
      MethodHandle handle = MethodHandles.lookup().unreflect(found);
      if (Modifier.isStatic(found.getModifiers())) {
        handle = MethodHandles.dropArguments(handle, 0, Object.class);
      }
      int count = found.getParameterCount();
      MethodHandle spread =
          handle.asType(MethodType.genericMethodType(count + 1)).asSpreader(Object[].class, count);
      return new Fallback(spread, count > method.getParameterCount());
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      throw new IllegalArgumentException(
          "fallbackMethod \"" + found.getName() + "\" is not accessible: " + e.getMessage(), e);
    }
  }

  @Nullable Object invoke(Call call, RateLimitExceededException denial) throws Throwable {
    @Nullable Object[] arguments = call.arguments();
    if (takesException) {
      int count = arguments.length;
      arguments = Arrays.copyOf(arguments, count + 1);
      arguments[count] = denial;
    }
    return handle.invokeExact(call.target(), arguments);
  }
}
