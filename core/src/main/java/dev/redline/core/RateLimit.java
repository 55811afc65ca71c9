package dev.redline.core;

import dev.redline.core.rule.OnStoreFailure;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits calls of a method, or of every method of a class. Framework adapters enforce it; several
 * on one method apply together, all or nothing.
 *
 * <pre>{@code
 * @RateLimit(key = "user", plan = "gold")
 * Invoice pay(Order order) { … }
 *
 * @RateLimit(key = "ip", limit = "10/s burst 20")
 * List<Item> search(String words) { … }
 * }</pre>
 */
@Documented
@Inherited
@Repeatable(RateLimit.List.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RateLimit {
  /** What tells callers apart: a key field, or an expression where the framework has some. */
  String[] key() default {};

  /** The name of a plan. */
  String plan() default "";

  /** The names of several plans, all of which apply. */
  String[] plans() default {};

  /** The rule set whose rules apply to the call. */
  String ruleSet() default "";

  /** Limits in place, as in rule documents: {@code 10/s}, {@code 100/m burst 20}. */
  String[] limit() default {};

  /** How many tokens a call takes. */
  int tokens() default 1;

  /** What decides when the store cannot: one value, or none for the configured one. */
  OnStoreFailure[] onStoreFailure() default {};

  /** Holds several {@link RateLimit} annotations of one element; the compiler adds it. */
  @Documented
  @Inherited
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.METHOD, ElementType.TYPE})
  @interface List {
    /** The annotations. */
    RateLimit[] value();
  }
}
