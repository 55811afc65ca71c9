package dev.redline.binding;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A method of a class and the methods that it overrides or implements, the most specific first.
 * Bridge methods stand for the methods they call.
 */
final class MethodFamily {
  private MethodFamily() {}

  /** Returns the class, its superclasses and all their interfaces, the most specific first. */
  static List<Class<?>> types(Class<?> type) {
    Set<Class<?>> classes = new LinkedHashSet<>();
    Set<Class<?>> interfaces = new LinkedHashSet<>();
    for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
      classes.add(each);
      addInterfaces(each, interfaces);
    }
    classes.addAll(interfaces);
    return List.copyOf(classes);
  }

  private static void addInterfaces(Class<?> type, Set<Class<?>> interfaces) {
    for (Class<?> each : type.getInterfaces()) {
      if (interfaces.add(each)) {
        addInterfaces(each, interfaces);
      }
    }
  }

  /** Returns the method of a class that a call of {@code method} runs. */
  static Method mostSpecific(Method method, Class<?> type) {
    if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
      return method;
    }
    for (Class<?> each : types(type)) {
      for (Method candidate : each.getDeclaredMethods()) {
        if (isSame(candidate, method)) {
          return candidate.isBridge() ? bridged(candidate, each) : candidate;
        }
      }
      if (each == method.getDeclaringClass()) {
        break;
      }
    }
    return method.isBridge() ? bridged(method, method.getDeclaringClass()) : method;
  }

  private static boolean isSame(Method candidate, Method method) {
    return candidate.getName().equals(method.getName())
        && !Modifier.isStatic(candidate.getModifiers())
        && List.of(candidate.getParameterTypes()).equals(List.of(method.getParameterTypes()));
  }

  /** Returns the method that a bridge calls, or the bridge itself if that is not certain. */
  private static Method bridged(Method bridge, Class<?> type) {
    Method found = null;
    for (Method candidate : type.getDeclaredMethods()) {
      if (!candidate.isBridge() && mayBeBridged(candidate, bridge)) {
        if (found != null) {
          return bridge;
        }
        found = candidate;
      }
    }
    return found == null ? bridge : found;
  }

  private static boolean mayBeBridged(Method candidate, Method bridge) {
    if (!candidate.getName().equals(bridge.getName())
        || candidate.getParameterCount() != bridge.getParameterCount()
        || !bridge.getReturnType().isAssignableFrom(candidate.getReturnType())) {
      return false;
    }
    for (int i = 0; i < bridge.getParameterCount(); i++) {
      if (!bridge.getParameterTypes()[i].isAssignableFrom(candidate.getParameterTypes()[i])) {
        return false;
      }
    }
    return true;
  }

  /** Returns the method and those it overrides, in the order of {@link #types}. */
  static List<Method> of(Method method, Class<?> type) {
    List<Method> family = new ArrayList<>();
    family.add(method);
    if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
      return family;
    }
    for (Class<?> each : types(type)) {
      for (Method candidate : each.getDeclaredMethods()) {
        if (!candidate.equals(method) && !candidate.isBridge() && overrides(method, candidate)) {
          family.add(candidate);
        }
      }
    }
    return family;
  }

  private static boolean overrides(Method method, Method candidate) {
    if (!candidate.getName().equals(method.getName())
        || candidate.getParameterCount() != method.getParameterCount()
        || Modifier.isPrivate(candidate.getModifiers())
        || Modifier.isStatic(candidate.getModifiers())) {
      return false;
    }
    for (int i = 0; i < method.getParameterCount(); i++) {
      Class<?> own = method.getParameterTypes()[i];
      Class<?> other = candidate.getParameterTypes()[i];
      boolean generic = !(candidate.getGenericParameterTypes()[i] instanceof Class);
      if (own != other && !(generic && other.isAssignableFrom(own))) {
        return false;
      }
    }
    return true;
  }
}
