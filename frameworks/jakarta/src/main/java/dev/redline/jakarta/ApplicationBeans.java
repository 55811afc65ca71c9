package dev.redline.jakarta;

import dev.redline.assembly.RedlineAssembly;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.literal.NamedLiteral;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds beans of the application.
 *
 * @param instances all of them
 */
record ApplicationBeans(Instance<Object> instances) implements RedlineAssembly.HostObjects {
  /** A bean without a priority comes after those that have one. */
  private static final int LAST = Integer.MAX_VALUE;

  /**
   * Returns the bean of a type, if there is one.
   *
   * @throws jakarta.enterprise.inject.AmbiguousResolutionException if there are several
   */
  <T> Optional<T> only(Class<T> type) {
    Instance<T> found = instances.select(type);
    return found.isUnsatisfied() ? Optional.empty() : Optional.of(found.get());
  }

  /** Returns the bean of a type for a plugin, if there is exactly one. */
  @Override
  public <T> Optional<T> find(Class<T> type) {
    Instance<T> found = instances.select(type);
    return found.isResolvable() ? Optional.of(found.get()) : Optional.empty();
  }

  /** Returns the bean of a name, or null. */
  <T> @Nullable T named(Class<T> type, String name) {
    Instance<T> found = instances.select(type, NamedLiteral.of(name));
    return found.isResolvable() ? found.get() : null;
  }

  /** Returns all beans of a type, in the order of their {@link Priority}. */
  <T> List<T> all(Class<T> type) {
    List<Instance.Handle<T>> handles = new ArrayList<>();
    instances.select(type, Any.Literal.INSTANCE).handles().forEach(handles::add);
    handles.sort(Comparator.comparingInt(handle -> priority(handle.getBean().getBeanClass())));
    List<T> beans = new ArrayList<>();
    handles.forEach(handle -> beans.add(handle.get()));
    return beans;
  }

  private static int priority(Class<?> type) {
    Priority priority = type.getAnnotation(Priority.class);
    return priority == null ? LAST : priority.value();
  }
}
