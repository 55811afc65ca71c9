package dev.redline.rules.documents.internal.parsing;

import java.util.regex.Pattern;

/** The type of a scalar by the JSON schema of YAML 1.2; what is no JSON literal is text. */
public enum ScalarType {
  NULL,
  BOOLEAN,
  INTEGER,
  DECIMAL,
  TEXT;

  private static final Pattern INTEGERS = Pattern.compile("-?(?:0|[1-9][0-9]*)");
  private static final Pattern DECIMALS =
      Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?");

  /** Returns the type of an unquoted scalar. */
  public static ScalarType ofPlain(String text) {
    return switch (text) {
      case "", "null" -> NULL;
      case "true", "false" -> BOOLEAN;
      default -> numberOrText(text);
    };
  }

  private static ScalarType numberOrText(String text) {
    char first = text.charAt(0);
    if (first != '-' && (first < '0' || first > '9')) {
      return TEXT;
    }
    if (INTEGERS.matcher(text).matches()) {
      return INTEGER;
    }
    return DECIMALS.matcher(text).matches() ? DECIMAL : TEXT;
  }
}
