package dev.redline.binding.internal.expression;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one property of objects: by a getter, the component of a record, or a public field. How is
 * found once for each class of object. Nothing else is called, so that an expression cannot change
 * anything by naming a method.
 */
final class PropertyReader {
  private static final MethodType OBJECT_TO_OBJECT =
      MethodType.methodType(Object.class, Object.class);

  private final String name;
  private final ClassValue<Optional<MethodHandle>> handles =
      new ClassValue<>() {
        @Override
        protected Optional<MethodHandle> computeValue(Class<?> type) {
          return Optional.ofNullable(handle(type));
        }
      };

  PropertyReader(String name) {
    this.name = name;
  }

  /** Returns the declared type of the property, or null if the class does not have it. */
  static @Nullable Type typeOf(Class<?> type, String name) {
    AnnotatedElement found = find(type, name);
    if (found instanceof Field field) {
      return field.getGenericType();
    }
    return found == null ? null : ((Method) found).getGenericReturnType();
  }

  @Nullable Object read(Object value) {
    MethodHandle handle = handles.get(value.getClass()).orElse(null);
    if (handle == null) {
      throw new IllegalArgumentException(
          value.getClass().getName() + " has no property '" + name + "'");
    }
    try {
      return handle.invokeExact(value);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("property '" + name + "' failed", e);
    }
  }

  private @Nullable MethodHandle handle(Class<?> type) {
    AnnotatedElement found = find(type, name);
    if (found == null) {
      return null;
    }
    try {
      MethodHandle handle =
          found instanceof Field field
              ? MethodHandles.lookup().unreflectGetter(accessible(field))
              : MethodHandles.lookup().unreflect(accessible((Method) found));
      return handle.asType(OBJECT_TO_OBJECT);
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      throw new IllegalArgumentException(
          "property '" + name + "' of " + type.getName() + " is not accessible", e);
    }
  }

  private static Field accessible(Field field) {
    field.setAccessible(true);
    return field;
  }

  /** A method of a class that is not public is called by the interface or class that is. */
  private static Method accessible(Method method) {
    if (!Modifier.isPublic(method.getDeclaringClass().getModifiers())) {
      method.setAccessible(true);
    }
    return method;
  }

  private static @Nullable AnnotatedElement find(Class<?> type, String name) {
    if (type.isRecord()) {
      for (RecordComponent component : type.getRecordComponents()) {
        if (component.getName().equals(name)) {
          return component.getAccessor();
        }
      }
    }
    String capitalized = Character.toUpperCase(name.charAt(0)) + name.substring(1);
    Method getter = getter(type, "get" + capitalized, false);
    if (getter == null) {
      getter = getter(type, "is" + capitalized, true);
    }
    return getter == null ? field(type, name) : getter;
  }

  private static @Nullable Method getter(Class<?> type, String name, boolean truth) {
    Method found = null;
    for (Method method : type.getMethods()) {
      boolean fits =
          method.getName().equals(name)
              && method.getParameterCount() == 0
              && !Modifier.isStatic(method.getModifiers())
              && method.getDeclaringClass() != Object.class
              && method.getReturnType() != void.class
              && (!truth
                  || method.getReturnType() == boolean.class
                  || method.getReturnType() == Boolean.class);
      if (fits && (found == null || isBetter(method, found))) {
        found = method;
      }
    }
    return found;
  }

  /** Prefers the method of a public class or interface, then the one with the narrower type. */
  private static boolean isBetter(Method method, Method than) {
    boolean open = Modifier.isPublic(method.getDeclaringClass().getModifiers());
    boolean otherOpen = Modifier.isPublic(than.getDeclaringClass().getModifiers());
    return open == otherOpen ? than.getReturnType().isAssignableFrom(method.getReturnType()) : open;
  }

  private static @Nullable Field field(Class<?> type, String name) {
    try {
      Field field = type.getField(name);
      return Modifier.isStatic(field.getModifiers()) ? null : field;
    } catch (NoSuchFieldException e) {
      return null;
    }
  }
}
