package dev.redline.binding;

import dev.redline.core.RateLimit;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the limits of a method: its own, else those of the methods it overrides, else those of its
 * class, superclasses and interfaces. The first element that has limits, or {@link RateLimit.None},
 * decides. Needs no engine, so that an adapter can choose what to intercept before there is one.
 * Thread-safe.
 */
public final class AnnotationLookup {
  private final @Nullable Function<AnnotatedElement, List<RateLimit>> reader;
  private final ConcurrentMap<Class<?>, Boolean> mentions = new ConcurrentHashMap<>();

  /** Creates a lookup by plain reflection, with meta-annotations. */
  public AnnotationLookup() {
    this(null);
  }

  /**
   * Creates a lookup.
   *
   * @param reader reads the annotations of one element in the way of a framework; null for plain
   *     reflection with meta-annotations
   */
  AnnotationLookup(@Nullable Function<AnnotatedElement, List<RateLimit>> reader) {
    this.reader = reader;
  }

  /**
   * Returns whether a method has limits, also such that cannot be used.
   *
   * @param method the method that is called; it may be that of an interface, or a bridge
   * @param type the class of the object, not of its proxy
   */
  public boolean isLimited(Method method, Class<?> type) {
    if (!mayHaveLimits(type)) {
      return false;
    }
    try {
      return !find(MethodFamily.mostSpecific(method, type), type).isEmpty();
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  /**
   * Returns whether a class, or a class or interface it inherits from, has limits somewhere; false
   * for nearly all classes of an application, which then need no closer look.
   */
  boolean mayHaveLimits(Class<?> type) {
    for (Class<?> each : MethodFamily.types(type)) {
      if (mentions.computeIfAbsent(each, this::mentionsLimits)) {
        return true;
      }
    }
    return false;
  }

  private boolean mentionsLimits(Class<?> type) {
    if (!read(type).isEmpty()) {
      return true;
    }
    for (Method method : type.getDeclaredMethods()) {
      if (!read(method).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the limits of a method, empty if it has none.
   *
   * @param method the most specific method
   * @throws IllegalArgumentException if an element has limits and {@link RateLimit.None}
   */
  List<LimitSpec> find(Method method, Class<?> type) {
    for (Method each : MethodFamily.of(method, type)) {
      List<LimitSpec> limits = read(each);
      boolean none = hasNone(each, new HashSet<>());
      if (none && !limits.isEmpty()) {
        throw new IllegalArgumentException("the method has @RateLimit and @RateLimit.None");
      }
      if (none || !limits.isEmpty()) {
        return limits;
      }
    }
    if (!isCoveredByClass(method)) {
      return List.of();
    }
    for (Class<?> each : MethodFamily.types(type)) {
      List<LimitSpec> limits = read(each);
      if (!limits.isEmpty()) {
        return limits;
      }
    }
    return List.of();
  }

  /** Returns whether annotations of a class cover the method: not those that every object has. */
  private static boolean isCoveredByClass(Method method) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || method.isSynthetic()) {
      return false;
    }
    return Arrays.stream(Object.class.getDeclaredMethods())
        .noneMatch(
            ofObject ->
                ofObject.getName().equals(method.getName())
                    && Arrays.equals(ofObject.getParameterTypes(), method.getParameterTypes()));
  }

  private List<LimitSpec> read(AnnotatedElement element) {
    List<LimitSpec> limits = new ArrayList<>();
    if (reader != null) {
      reader.apply(element).forEach(limit -> limits.add(LimitSpec.of(limit, element)));
    } else {
      read(element, limits, new HashSet<>());
    }
    return limits;
  }

  private static void read(
      AnnotatedElement element, List<LimitSpec> limits, Set<AnnotatedElement> seen) {
    for (Annotation annotation : element.getDeclaredAnnotations()) {
      Class<? extends Annotation> type = annotation.annotationType();
      if (annotation instanceof RateLimit limit) {
        limits.add(LimitSpec.of(limit, element));
      } else if (annotation instanceof RateLimit.List several) {
        for (RateLimit limit : several.value()) {
          limits.add(LimitSpec.of(limit, element));
        }
      } else if (isOther(type) && seen.add(type)) {
        read(type, limits, seen);
      }
    }
  }

  private static boolean hasNone(AnnotatedElement element, Set<AnnotatedElement> seen) {
    for (Annotation annotation : element.getDeclaredAnnotations()) {
      Class<? extends Annotation> type = annotation.annotationType();
      if (type == RateLimit.None.class
          || (isOther(type) && seen.add(type) && hasNone(type, seen))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOther(Class<? extends Annotation> type) {
    return !type.getName().startsWith("java.lang.annotation.");
  }
}
