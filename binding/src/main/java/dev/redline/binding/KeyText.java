package dev.redline.binding;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The text of a value that is a key. An object whose text is only its place in memory would be
 * another caller at every call, so it is rejected.
 */
final class KeyText {
  private static final ClassValue<Boolean> HAS_TEXT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return hasText(type);
        }
      };

  private KeyText() {}

  /** Returns the text, or null if the value is null or empty. */
  static @Nullable String of(@Nullable Object value) {
    if (value instanceof String text) {
      return text.isEmpty() ? null : text;
    }
    if (value == null) {
      return null;
    }
    if (value instanceof Optional<?> optional) {
      return of(optional.orElse(null));
    }
    if (!HAS_TEXT.get(value.getClass())) {
      throw new IllegalArgumentException(
          "a key cannot be a "
              + value.getClass().getTypeName()
              + ", which has no text of its own: name one of its properties");
    }
    String text = value.toString();
    return text.isEmpty() ? null : text;
  }

  private static boolean hasText(Class<?> type) {
    if (type.isArray()) {
      return false;
    }
    try {
      return type.getMethod("toString").getDeclaringClass() != Object.class;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every class has toString", e);
    }
  }
}
