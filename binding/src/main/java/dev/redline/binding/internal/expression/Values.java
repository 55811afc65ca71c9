package dev.redline.binding.internal.expression;

import java.math.BigDecimal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What operators of the portable language mean. */
final class Values {
  private Values() {}

  /** Returns a truth value; null is false. */
  static boolean isTrue(@Nullable Object value) {
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value);
    }
    throw new IllegalArgumentException("not a truth value: " + value.getClass().getName());
  }

  /** Returns whether values are equal: numbers by value, an enum constant also to its name. */
  static boolean areEqual(@Nullable Object a, @Nullable Object b) {
    if (a == null || b == null) {
      return a == b;
    }
    if (a instanceof Number x && b instanceof Number y) {
      return isNumber(x) && isNumber(y) && compareNumbers(x, y) == 0;
    }
    return Objects.equals(a, b) || (isText(a) && isText(b) && text(a).equals(text(b)));
  }

  private static boolean isText(Object value) {
    return value instanceof CharSequence || value instanceof Character || value instanceof Enum;
  }

  private static String text(Object value) {
    return value instanceof Enum<?> constant ? constant.name() : value.toString();
  }

  /** Returns whether values are in the given order; null and NaN are in none. */
  static boolean compare(@Nullable Object a, Node.Operator operator, @Nullable Object b) {
    if (a == null || b == null) {
      return false;
    }
    int order;
    if (a instanceof Number x && b instanceof Number y) {
      if (!isNumber(x) || !isNumber(y)) {
        return false;
      }
      order = compareNumbers(x, y);
    } else {
      order = compareAlike(a, b);
    }
    return switch (operator) {
      case LESS -> order < 0;
      case LESS_OR_EQUAL -> order <= 0;
      case GREATER -> order > 0;
      case GREATER_OR_EQUAL -> order >= 0;
      case OR, AND, EQUAL, NOT_EQUAL -> throw new IllegalArgumentException(operator.toString());
    };
  }

  @SuppressWarnings("unchecked") // both are of the same class, whose order it is
  private static int compareAlike(Object a, Object b) {
    if (a instanceof Comparable<?> && a.getClass() == b.getClass()) {
      return ((Comparable<Object>) a).compareTo(b);
    }
    throw new IllegalArgumentException(
        "not comparable: " + a.getClass().getName() + " and " + b.getClass().getName());
  }

  private static boolean isNumber(Number value) {
    return !(value instanceof Double || value instanceof Float)
        || !Double.isNaN(value.doubleValue());
  }

  private static int compareNumbers(Number a, Number b) {
    if (isWhole(a) && isWhole(b)) {
      return Long.compare(a.longValue(), b.longValue());
    }
    if (Double.isInfinite(a.doubleValue()) || Double.isInfinite(b.doubleValue())) {
      return Double.compare(a.doubleValue(), b.doubleValue());
    }
    return new BigDecimal(a.toString()).compareTo(new BigDecimal(b.toString()));
  }

  private static boolean isWhole(Number value) {
    return value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte;
  }
}
