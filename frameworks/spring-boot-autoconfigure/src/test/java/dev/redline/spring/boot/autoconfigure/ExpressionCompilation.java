package dev.redline.spring.boot.autoconfigure;

import dev.redline.binding.MethodModel;
import dev.redline.spring.method.SpelCompiler;
import java.util.List;

/** Compiles expressions over a method with one parameter, {@code name}. */
final class ExpressionCompilation {
  private ExpressionCompilation() {}

  static void compile(String expression) {
    MethodModel method =
        new MethodModel("Orders", "pay", "Orders.pay", List.of("name"), List.of(String.class));
    new SpelCompiler().compile(expression, method);
  }
}
