package dev.redline.rules.documents.internal.parsing;

import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Replaces {@code ${NAME}} and {@code ${NAME:default}} in scalars, or rejects them. */
public final class Placeholders {
  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_.-]*)(?::([^{}]*))?}");

  private final @Nullable Function<String, @Nullable String> environment;

  private final HiddenValues hidden;

  private Placeholders(
      @Nullable Function<String, @Nullable String> environment, HiddenValues hidden) {
    this.environment = environment;
    this.hidden = hidden;
  }

  public static Placeholders from(Function<String, @Nullable String> environment) {
    return new Placeholders(Objects.requireNonNull(environment, "environment"), new HiddenValues());
  }

  public static Placeholders rejected() {
    return new Placeholders(null, new HiddenValues());
  }

  /** Returns a copy that records replaced values, so that problems do not show them. */
  public Placeholders hidingIn(HiddenValues values) {
    return new Placeholders(environment, values);
  }

  /**
   * Returns the scalar with its placeholders replaced; a scalar that consists of one placeholder
   * has the type that its value would have without quotes.
   *
   * @throws IllegalArgumentException if a placeholder is malformed, not set or not supported here
   */
  public Scalar resolve(Scalar scalar) {
    String text = scalar.text();
    if (!text.contains("${")) {
      return scalar;
    }
    if (environment == null) {
      throw new IllegalArgumentException(
          "placeholders such as '"
              + text
              + "' are replaced only in FILE and CONFIG_MAP documents; write the value");
    }
    StringBuilder resolved = new StringBuilder();
    StringBuilder shown = new StringBuilder();
    Matcher matcher = PLACEHOLDER.matcher(text);
    int end = 0;
    boolean whole = false;
    while (matcher.find()) {
      append(resolved, text, end, matcher.start());
      shown.append(text.substring(end, matcher.start()));
      shown.append("${").append(matcher.group(1)).append('}');
      String value = value(environment, matcher);
      hidden.hide(scalar.line(), value, matcher.group(1));
      resolved.append(value);
      whole = matcher.start() == 0 && matcher.end() == text.length();
      end = matcher.end();
    }
    append(resolved, text, end, text.length());
    shown.append(text.substring(end));
    return whole
        ? new Scalar(resolved.toString().strip(), true, scalar.line(), shown.toString())
        : new Scalar(resolved.toString(), scalar.plain(), scalar.line(), shown.toString());
  }

  private static void append(StringBuilder resolved, String text, int from, int to) {
    if (text.substring(from, to).contains("${")) {
      throw new IllegalArgumentException(
          "bad placeholder in '" + text + "'; write ${NAME} or ${NAME:default}");
    }
    resolved.append(text, from, to);
  }

  private static String value(Function<String, @Nullable String> environment, Matcher matcher) {
    String name = matcher.group(1);
    String value = environment.apply(name);
    if (value == null) {
      value = matcher.group(2);
    }
    if (value == null) {
      throw new IllegalArgumentException(
          "'${"
              + name
              + "}' is not set and has no default; set "
              + name
              + " or write ${"
              + name
              + ":default}");
    }
    if (value.contains("${")) {
      throw new IllegalArgumentException(
          "the value of '${" + name + "}' contains a placeholder itself; write the value");
    }
    return value;
  }
}
