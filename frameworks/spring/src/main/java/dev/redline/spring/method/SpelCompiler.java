package dev.redline.spring.method;

import dev.redline.binding.Call;
import dev.redline.binding.Expression;
import dev.redline.binding.MethodModel;
import dev.redline.core.key.RequestContext;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * Compiles the Spring Expression Language, restricted: properties and instance methods of
 * arguments, but no types, constructors, beans or assignments. An expression is parsed once, and
 * rejected at the start if it uses anything else or a variable that does not exist.
 */
public final class SpelCompiler implements Expression.Compiler {
  private static final int MAX_LENGTH = 1000;
  private static final Set<String> OF_REQUEST = Set.of("principal", "userId", "ip", "header");

  private final SpelExpressionParser parser = new SpelExpressionParser();

  @Override
  public Expression compile(String text, MethodModel method) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "an expression has at most " + MAX_LENGTH + " characters, this one " + text.length());
    }
    SpelExpression parsed;
    try {
      parsed = (SpelExpression) parser.parseExpression(text);
    } catch (ParseException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no expression: " + e.getSimpleMessage(), e);
    }
    Set<String> variables = new TreeSet<>();
    check(parsed.getAST(), text, variables);
    for (String variable : variables) {
      checkVariable(variable, text, method);
    }
    return new SpelCallExpression(
        parsed, method.parameterNames(), variables.stream().anyMatch(OF_REQUEST::contains));
  }

  private static void check(SpelNode node, String text, Set<String> variables) {
    if (node instanceof TypeReference) {
      throw rejected(text, "types, T(…), are not allowed");
    }
    if (node instanceof ConstructorReference) {
      throw rejected(text, "constructors, new …, are not allowed");
    }
    if (node instanceof BeanReference) {
      throw rejected(text, "beans, @…, are not allowed; use a KeyResolver bean by its name");
    }
    if (node instanceof FunctionReference) {
      throw rejected(text, "functions, #name(…), are not allowed");
    }
    if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
      throw rejected(text, "assignments are not allowed");
    }
    if (isClass(node)) {
      throw rejected(text, "the class of an object is not available");
    }
    if (node instanceof VariableReference) {
      variables.add(node.toStringAST().substring(1));
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      check(node.getChild(i), text, variables);
    }
  }

  private static boolean isClass(SpelNode node) {
    return (node instanceof MethodReference method && method.getName().equals("getClass"))
        || (node instanceof PropertyOrFieldReference property
            && property.getName().equals("class"));
  }

  private static void checkVariable(String name, String text, MethodModel method) {
    boolean special =
        OF_REQUEST.contains(name) || name.equals("this") || method.parameter(name) >= 0;
    if (special || position(name, method.parameterTypes().size()) >= 0) {
      return;
    }
    throw rejected(
        text,
        method.hasParameterNames()
            ? "there is no parameter '" + name + "'"
            : "parameter names need the compiler flag -parameters; or use #p0, #p1");
  }

  /** Returns the position that {@code p0} or {@code a0} names, or -1. */
  private static int position(String name, int count) {
    if (name.length() < 2 || (name.charAt(0) != 'p' && name.charAt(0) != 'a')) {
      return -1;
    }
    try {
      int position = Integer.parseInt(name.substring(1));
      return position < count ? position : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static IllegalArgumentException rejected(String text, String why) {
    return new IllegalArgumentException("'" + text + "': " + why);
  }

  /** A parsed expression, evaluated with the variables of one call. */
  private record SpelCallExpression(
      SpelExpression expression, List<String> names, boolean needsRequest) implements Expression {
    @Override
    public @Nullable Object evaluate(Call call) {
      return expression.getValue(context(call));
    }

    private EvaluationContext context(Call call) {
      SimpleEvaluationContext context =
          SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();
      @Nullable Object[] arguments = call.arguments();
      for (int i = 0; i < arguments.length; i++) {
        context.setVariable("p" + i, arguments[i]);
        context.setVariable("a" + i, arguments[i]);
      }
      for (int i = 0; i < names.size() && i < arguments.length; i++) {
        context.setVariable(names.get(i), arguments[i]);
      }
      if (needsRequest) {
        RequestContext request = call.request();
        context.setVariable("ip", request.clientIpOrNull());
        context.setVariable("userId", request.userIdOrNull());
        context.setVariable("principal", request.userIdOrNull());
        context.setVariable("header", new HeaderMap(request));
      }
      return context;
    }
  }
}
