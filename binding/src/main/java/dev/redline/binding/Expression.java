package dev.redline.binding;

import org.jspecify.annotations.Nullable;

/** A compiled expression over a call. Thread-safe. */
@FunctionalInterface
public interface Expression {
  /** Returns the value, which may be null. */
  @Nullable Object evaluate(Call call);

  /**
   * Compiles the expressions of a framework, where the portable language does not parse a text:
   * that one is tried first, so that a portable expression means the same in every framework.
   */
  @FunctionalInterface
  interface Compiler {
    /**
     * Compiles an expression, without {@code #{…}} around it.
     *
     * @throws IllegalArgumentException if it is invalid; the message says why
     */
    Expression compile(String text, MethodModel method);
  }

  /** Returns whether the value needs {@link Call#request}; true unless it is known not to. */
  default boolean needsRequest() {
    return true;
  }
}
