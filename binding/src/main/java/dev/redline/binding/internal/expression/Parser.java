package dev.redline.binding.internal.expression;

import dev.redline.binding.MethodModel;
import dev.redline.binding.internal.expression.Node.Operator;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** A recursive descent parser of the portable language. */
final class Parser {
  private static final int MAX_DEPTH = 50;
  private static final String HELP =
      "; portable expressions have #parameter, #p0, #parameter.property, #principal, #userId, #ip,"
          + " #header['X'], literals, and the operators == != < > && || !";

  private final String text;
  private final MethodModel method;
  private int at;
  private int depth;

  Parser(String text, MethodModel method) {
    this.text = text;
    this.method = method;
  }

  Node parse() {
    Node node = or();
    skipSpace();
    if (at < text.length()) {
      throw unexpected();
    }
    return node;
  }

  private NotPortableException unexpected() {
    String what = at < text.length() ? "'" + text.charAt(at) + "'" : "end";
    return new NotPortableException("unexpected " + what + " at " + (at + 1) + HELP);
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private boolean accept(String symbol) {
    skipSpace();
    if (!text.startsWith(symbol, at)) {
      return false;
    }
    at += symbol.length();
    return true;
  }

  private Node or() {
    Node left = and();
    while (accept("||")) {
      left = new Node.Binary(Operator.OR, left, and());
    }
    return left;
  }

  private Node and() {
    Node left = equality();
    while (accept("&&")) {
      left = new Node.Binary(Operator.AND, left, equality());
    }
    return left;
  }

  private Node equality() {
    Node left = comparison();
    if (accept("==")) {
      return new Node.Binary(Operator.EQUAL, left, comparison());
    }
    return accept("!=") ? new Node.Binary(Operator.NOT_EQUAL, left, comparison()) : left;
  }

  private Node comparison() {
    Node left = unary();
    Operator operator = comparisonOperator();
    return operator == null ? left : new Node.Binary(operator, left, unary());
  }

  private @Nullable Operator comparisonOperator() {
    if (accept("<=")) {
      return Operator.LESS_OR_EQUAL;
    }
    if (accept("<")) {
      return Operator.LESS;
    }
    if (accept(">=")) {
      return Operator.GREATER_OR_EQUAL;
    }
    return accept(">") ? Operator.GREATER : null;
  }

  private Node unary() {
    if (++depth > MAX_DEPTH) {
      throw new NotPortableException("nested more than " + MAX_DEPTH + " deep");
    }
    try {
      if (accept("!")) {
        return new Node.Not(unary());
      }
      if (accept("(")) {
        Node inner = or();
        if (!accept(")")) {
          throw unexpected();
        }
        return inner;
      }
      return accept("#") ? variable() : literal();
    } finally {
      depth--;
    }
  }

  private Node literal() {
    skipSpace();
    if (at == text.length()) {
      throw unexpected();
    }
    char first = text.charAt(at);
    if (first == '\'') {
      return new Node.Literal(quoted());
    }
    if (isDigit(first)
        || (first == '-' && at + 1 < text.length() && isDigit(text.charAt(at + 1)))) {
      return new Node.Literal(number());
    }
    int start = at;
    String word = isNameStart(first) ? name() : "";
    return switch (word) {
      case "true" -> new Node.Literal(true);
      case "false" -> new Node.Literal(false);
      case "null" -> new Node.Literal(null);
      default -> {
        at = start;
        throw unexpected();
      }
    };
  }

  /** Reads a text in single quotes; two of them stand for one. */
  private String quoted() {
    StringBuilder value = new StringBuilder();
    at++;
    while (at < text.length()) {
      char next = text.charAt(at++);
      if (next != '\'') {
        value.append(next);
      } else if (at < text.length() && text.charAt(at) == '\'') {
        value.append('\'');
        at++;
      } else {
        return value.toString();
      }
    }
    throw new NotPortableException("a quote is not closed");
  }

  private Number number() {
    int start = at++;
    boolean fraction = false;
    while (at < text.length() && (isDigit(text.charAt(at)) || isPoint(fraction))) {
      fraction |= text.charAt(at) == '.';
      at++;
    }
    if (at < text.length() && isNamePart(text.charAt(at))) {
      throw unexpected();
    }
    String digits = text.substring(start, at);
    if (fraction || digits.length() > 18) {
      return new BigDecimal(digits);
    }
    return Long.valueOf(digits);
  }

  private boolean isPoint(boolean hadOne) {
    return !hadOne
        && text.charAt(at) == '.'
        && at + 1 < text.length()
        && isDigit(text.charAt(at + 1));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNameStart(char c) {
    return Character.isJavaIdentifierStart(c) && c != '$';
  }

  private static boolean isNamePart(char c) {
    return Character.isJavaIdentifierPart(c) && c != '$';
  }

  private String name() {
    int start = at;
    if (at == text.length() || !isNameStart(text.charAt(at))) {
      throw unexpected();
    }
    while (at < text.length() && isNamePart(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private Node variable() {
    String name = name();
    if (name.equals("header") && text.startsWith("[", at) && method.parameter(name) < 0) {
      at++;
      skipSpace();
      if (at == text.length() || text.charAt(at) != '\'') {
        throw unexpected();
      }
      Node header = new Node.Header(quoted());
      if (!accept("]")) {
        throw unexpected();
      }
      endOfVariable();
      return header;
    }
    Node node = variable(name);
    while (text.startsWith(".", at)) {
      at++;
      String property = name();
      // A call, not a property: rejected before the property is looked up.
      rejectCall();
      node = property(node, property);
    }
    endOfVariable();
    return node;
  }

  private void endOfVariable() {
    rejectCall();
    if (at < text.length() && (text.charAt(at) == '[' || text.charAt(at) == '?')) {
      throw unexpected();
    }
  }

  private void rejectCall() {
    if (at < text.length() && text.charAt(at) == '(') {
      throw unexpected();
    }
  }

  private Node variable(String name) {
    rejectCall();
    int position = method.parameter(name);
    if (position < 0) {
      position = numbered(name);
    }
    if (position >= 0) {
      return new Node.Argument(position, method.parameterTypes().get(position));
    }
    return switch (name) {
      case "principal", "userId" -> new Node.User();
      case "ip" -> new Node.ClientIp();
      default -> throw unknown(name);
    };
  }

  /** Returns the position that {@code p0} or {@code a0} names, or -1. */
  private int numbered(String name) {
    if (name.length() < 2
        || name.length() > 4
        || (name.charAt(0) != 'p' && name.charAt(0) != 'a')) {
      return -1;
    }
    for (int i = 1; i < name.length(); i++) {
      if (!isDigit(name.charAt(i))) {
        return -1;
      }
    }
    int position = Integer.parseInt(name.substring(1));
    if (position >= method.parameterTypes().size()) {
      throw new IllegalArgumentException(
          "#" + name + ": the method has " + method.parameterTypes().size() + " parameters");
    }
    return position;
  }

  private IllegalArgumentException unknown(String name) {
    if (!method.hasParameterNames()) {
      return new IllegalArgumentException(
          "#"
              + name
              + " needs the names of parameters, which the class file does not have: compile with"
              + " -parameters (Kotlin: -java-parameters), or use #p0");
    }
    return new IllegalArgumentException(
        "unknown #" + name + "; the method has the parameters " + method.parameterNames());
  }

  private static Node property(Node of, String name) {
    if (of instanceof Node.User && name.equals("name")) {
      return of;
    }
    Class<?> known = rawClass(of.type());
    if (of instanceof Node.User || of instanceof Node.ClientIp || known.isPrimitive()) {
      throw new IllegalArgumentException("there is no property '" + name + "' of a plain value");
    }
    Type type = Object.class;
    if (known != Object.class) {
      type = PropertyReader.typeOf(known, name);
      if (type == null) {
        throw new IllegalArgumentException(
            known.getName()
                + " has no property '"
                + name
                + "': it needs a getter, a record component or a public field");
      }
    }
    return new Node.Property(of, new PropertyReader(name), type);
  }

  private static Class<?> rawClass(Type type) {
    if (type instanceof Class<?> plain) {
      return plain;
    }
    return type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw
        ? raw
        : Object.class;
  }
}
