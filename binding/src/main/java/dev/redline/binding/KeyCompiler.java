package dev.redline.binding;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.KeyResolver;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Compiles the entries of {@code key}. */
final class KeyCompiler {
  private final Expression.Compiler expressions;
  private final IdentitySettings identity;
  private final Function<String, @Nullable KeyResolver> resolvers;

  KeyCompiler(
      Expression.Compiler expressions,
      IdentitySettings identity,
      Function<String, @Nullable KeyResolver> resolvers) {
    this.expressions = expressions;
    this.identity = identity;
    this.resolvers = resolvers;
  }

  /**
   * Compiles a key.
   *
   * @throws IllegalArgumentException if an entry is invalid
   */
  CallKey compile(List<String> entries, boolean underPlan, MethodModel method) {
    if (entries.isEmpty()) {
      return new CallKey(
          List.of(new Caller(field(KeyField.userId()), field(KeyField.ip()))), underPlan);
    }
    List<CallKey.Part> parts = new ArrayList<>();
    for (String entry : entries) {
      parts.add(part(entry, method));
    }
    return new CallKey(parts, underPlan);
  }

  private CallKey.Part part(String entry, MethodModel method) {
    if (entry.contains(Template.OPEN)) {
      return new Text(Template.compile(entry, expressions, method));
    }
    if (entry.startsWith("#") || entry.startsWith("'")) {
      return new Text(compile(entry, method));
    }
    return named(entry);
  }

  private Expression compile(String entry, MethodModel method) {
    try {
      return expressions.compile(entry, method);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("key \"" + entry + "\": " + e.getMessage(), e);
    }
  }

  private CallKey.Part named(String name) {
    KeyField known =
        switch (name) {
          case "ip" -> KeyField.ip();
          case "user" -> KeyField.userId();
          case "apiKey" -> KeyField.apiKey();
          case "global" -> KeyField.global();
          default -> null;
        };
    if (known != null) {
      return new Field(field(known));
    }
    KeyResolver own = resolvers.apply(name);
    if (own != null) {
      return new Resolved(own);
    }
    try {
      KeyField parsed = KeyField.parse(name);
      if (parsed.kind() != KeyField.Kind.PATH_VARIABLE) {
        return new Field(field(parsed));
      }
    } catch (IllegalArgumentException e) {
      throw unknown(name);
    }
    throw unknown(name);
  }

  private static IllegalArgumentException unknown(String name) {
    return new IllegalArgumentException(
        "unknown key \""
            + name
            + "\"; use ip, user, apiKey, global, the name of a KeyResolver, an expression such as"
            + " #"
            + (name.matches("\\w+") ? name : "parameter")
            + ", or '"
            + name.replace("'", "")
            + "' for a text");
  }

  private IdentityScheme field(KeyField field) {
    return new IdentityScheme(List.of(field), List.of(), identity);
  }

  /** The user, else the client address. */
  private record Caller(IdentityScheme user, IdentityScheme ip) implements CallKey.Part {
    @Override
    public @Nullable String identity(Call call) {
      String byUser = user.identity(call.request(), false);
      return byUser == null ? ip.identity(call.request(), false) : byUser;
    }

    @Override
    public boolean needsRequest() {
      return true;
    }
  }

  /** A property of the request. */
  private record Field(IdentityScheme scheme) implements CallKey.Part {
    @Override
    public @Nullable String identity(Call call) {
      return scheme.identity(call.request(), false);
    }

    @Override
    public boolean needsRequest() {
      return !scheme.fields().isEmpty();
    }
  }

  /** What a resolver of the application returns. */
  private record Resolved(KeyResolver resolver) implements CallKey.Part {
    @Override
    public @Nullable String identity(Call call) {
      String value = planKey(call);
      return value == null ? null : IdentityScheme.resolved(value);
    }

    @Override
    public @Nullable String planKey(Call call) {
      String value = resolver.resolve(call.request());
      return value == null || value.isEmpty() ? null : value;
    }

    @Override
    public boolean needsRequest() {
      return true;
    }
  }

  /** The text of an expression. */
  private record Text(Expression expression) implements CallKey.Part {
    @Override
    public @Nullable String identity(Call call) {
      String value = planKey(call);
      return value == null ? null : IdentityScheme.named(value);
    }

    @Override
    public @Nullable String planKey(Call call) {
      return KeyText.of(expression.evaluate(call));
    }

    @Override
    public boolean needsRequest() {
      return expression.needsRequest();
    }
  }
}
