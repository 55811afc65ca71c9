package dev.redline.binding.internal.expression;

import dev.redline.binding.Call;
import dev.redline.binding.Expression;
import dev.redline.core.key.RequestContext;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** A node of the syntax tree, which evaluates itself. */
sealed interface Node extends Expression {
  /** Returns the type that is known of the value; {@code Object.class} if nothing is. */
  default Type type() {
    return Object.class;
  }

  /** A constant. */
  record Literal(@Nullable Object value) implements Node {
    @Override
    public @Nullable Object evaluate(Call call) {
      return value;
    }

    @Override
    public boolean needsRequest() {
      return false;
    }
  }

  /** An argument of the call. */
  record Argument(int index, @Override Type type) implements Node {
    @Override
    public @Nullable Object evaluate(Call call) {
      return call.arguments()[index];
    }

    @Override
    public boolean needsRequest() {
      return false;
    }
  }

  /** The user of the request. */
  record User() implements Node {
    @Override
    public @Nullable Object evaluate(Call call) {
      return call.request().userIdOrNull();
    }
  }

  /** The client address of the request. */
  record ClientIp() implements Node {
    @Override
    public @Nullable Object evaluate(Call call) {
      return call.request().clientIpOrNull();
    }
  }

  /** A header of the request, of several values the first. */
  record Header(String name) implements Node {
    @Override
    public @Nullable Object evaluate(Call call) {
      RequestContext request = call.request();
      return request.headerOrNull(name);
    }
  }

  /** A property of a value; null if the value is. */
  record Property(Node of, PropertyReader reader, @Override Type type) implements Node {
    @Override
    public @Nullable Object evaluate(Call call) {
      Object value = of.evaluate(call);
      return value == null ? null : reader.read(value);
    }

    @Override
    public boolean needsRequest() {
      return of.needsRequest();
    }
  }

  /** The negation of a truth value. */
  record Not(Node of) implements Node {
    @Override
    public Object evaluate(Call call) {
      return !Values.isTrue(of.evaluate(call));
    }

    @Override
    public boolean needsRequest() {
      return of.needsRequest();
    }
  }

  /** Two operands. */
  record Binary(Operator operator, Node left, Node right) implements Node {
    @Override
    public Object evaluate(Call call) {
      return switch (operator) {
        case OR -> Values.isTrue(left.evaluate(call)) || Values.isTrue(right.evaluate(call));
        case AND -> Values.isTrue(left.evaluate(call)) && Values.isTrue(right.evaluate(call));
        case EQUAL -> Values.areEqual(left.evaluate(call), right.evaluate(call));
        case NOT_EQUAL -> !Values.areEqual(left.evaluate(call), right.evaluate(call));
        case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
            Values.compare(left.evaluate(call), operator, right.evaluate(call));
      };
    }

    @Override
    public boolean needsRequest() {
      return left.needsRequest() || right.needsRequest();
    }
  }

  /** The operators of two operands. */
  enum Operator {
    OR,
    AND,
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL
  }
}
