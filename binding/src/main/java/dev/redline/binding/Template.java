package dev.redline.binding;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A text with expressions in {@code #{…}}; null if one of them is null or empty. */
final class Template implements Expression {
  static final String OPEN = "#{";

  private final List<Expression> parts;
  private final boolean needsRequest;

  private Template(List<Expression> parts) {
    this.parts = List.copyOf(parts);
    this.needsRequest = parts.stream().anyMatch(Expression::needsRequest);
  }

  /**
   * Compiles a text.
   *
   * @throws IllegalArgumentException if an expression is invalid or not closed
   */
  static Expression compile(String text, Compiler compiler, MethodModel method) {
    List<Expression> parts = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int open = text.indexOf(OPEN, at);
      int end = open < 0 ? text.length() : open;
      if (end > at) {
        parts.add(new Constant(text.substring(at, end)));
      }
      at = end;
      if (open >= 0) {
        int close = close(text, open + OPEN.length());
        String inner = text.substring(open + OPEN.length(), close);
        try {
          parts.add(compiler.compile(inner, method));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException("\"" + text + "\": " + e.getMessage(), e);
        }
        at = close + 1;
      }
    }
    return parts.size() == 1 ? parts.get(0) : new Template(parts);
  }

  /** Returns where the brace is that closes an expression; not one in quotes or in braces. */
  private static int close(String text, int from) {
    boolean quoted = false;
    int depth = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\'') {
        quoted = !quoted;
      } else if (!quoted && c == '{') {
        depth++;
      } else if (!quoted && c == '}' && depth-- == 0) {
        return i;
      }
    }
    throw new IllegalArgumentException("\"" + text + "\": an expression #{…} is not closed");
  }

  @Override
  public @Nullable Object evaluate(Call call) {
    StringBuilder text = new StringBuilder();
    for (Expression part : parts) {
      String value = KeyText.of(part.evaluate(call));
      if (value == null) {
        return null;
      }
      text.append(value);
    }
    return text.toString();
  }

  @Override
  public boolean needsRequest() {
    return needsRequest;
  }

  /** A part without an expression. */
  private record Constant(String text) implements Expression {
    @Override
    public Object evaluate(Call call) {
      return text;
    }

    @Override
    public boolean needsRequest() {
      return false;
    }
  }
}
