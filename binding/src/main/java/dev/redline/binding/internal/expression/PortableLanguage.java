package dev.redline.binding.internal.expression;

import dev.redline.binding.Expression;
import dev.redline.binding.MethodModel;
import org.jspecify.annotations.Nullable;

/**
 * The expressions that mean the same in every framework:
 *
 * <pre>
 * or         = and { "||" and }
 * and        = equality { "&amp;&amp;" equality }
 * equality   = comparison [ ( "==" | "!=" ) comparison ]
 * comparison = unary [ ( "&lt;" | "&lt;=" | "&gt;" | "&gt;=" ) unary ]
 * unary      = "!" unary | "(" or ")" | literal | variable
 * literal    = 'text' | number | true | false | null
 * variable   = "#" name { "." name }  |  "#header['" name "']"
 * </pre>
 *
 * <p>A name is that of a parameter, or {@code p0}, {@code p1}…, {@code principal}, {@code userId}
 * or {@code ip}; a parameter wins. A property is a getter, a component of a record or a public
 * field, and null if its object is. There are no calls, no types and no assignments.
 */
public final class PortableLanguage implements Expression.Compiler {
  /** The longest expression. */
  public static final int MAX_LENGTH = 1000;

  private final Expression.@Nullable Compiler more;

  private PortableLanguage(Expression.@Nullable Compiler more) {
    this.more = more;
  }

  /**
   * Returns the compiler.
   *
   * @param more compiles what is not portable, or null if nothing does
   */
  public static PortableLanguage with(Expression.@Nullable Compiler more) {
    return new PortableLanguage(more);
  }

  @Override
  public Expression compile(String text, MethodModel method) {
    try {
      if (text.length() > MAX_LENGTH) {
        throw new NotPortableException(
            "an expression has at most " + MAX_LENGTH + " characters, not " + text.length());
      }
      return new Parser(text, method).parse();
    } catch (NotPortableException e) {
      if (more == null) {
        throw e;
      }
      return more.compile(text, method);
    }
  }
}
