package dev.redline.core;

import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits calls of a method, or of every method of a class. The adapters of frameworks enforce it.
 *
 * <pre>{@code
 * @RateLimit("10/s burst 20")                      // for each caller: the user, else the address
 * List<Item> search(String words) { … }
 *
 * @RateLimit(value = "5/m", key = "#order.customer", fallbackMethod = "later")
 * Invoice pay(Order order) { … }
 *
 * @RateLimit(plan = "#{#user.plan}", key = "#user.id")
 * Report report(User user) { … }
 * }</pre>
 *
 * <p>Exactly one of {@link #value}, {@link #plan} or {@link #plans}, and {@link #ruleSet} is given.
 * Several annotations on one element apply together: all of them allow the call, or nothing is
 * acquired. An annotation of a method replaces those of its class; {@link None} switches them off.
 * The annotation can stand on other annotations, which then mean the same.
 *
 * <p>A denied call throws {@link RateLimitExceededException}, or returns it as a failure where the
 * method is asynchronous, and the method does not run.
 */
@Documented
@Inherited
@Repeatable(RateLimit.List.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface RateLimit {
  /**
   * The limits, as in rule documents: {@code 10/s}, {@code 100/m burst 20}. They have buckets of
   * their own, named by {@link #id}. {@code ${…}} stands for a property of the application.
   */
  String[] value() default {};

  /**
   * The name of a plan. <b>A plan and a key are one bucket wherever they are used</b>: two methods
   * with the same plan and key share it. {@code #{…}} inside the text is an expression, so that
   * each call chooses its plan.
   */
  String plan() default "";

  /** The names of several plans, all of which apply; otherwise as {@link #plan}. */
  String[] plans() default {};

  /** The name of a rule set, whose rules apply if they match the current request. */
  String ruleSet() default "";

  /**
   * The key that distinguishes callers; several entries are a composite key. An entry is
   *
   * <ul>
   *   <li>a name: {@code ip}, {@code user}, {@code apiKey}, {@code global}, or that of a {@code
   *       KeyResolver} of the application,
   *   <li>an expression: {@code #user.id},
   *   <li>a text in quotes: {@code 'nightly'},
   *   <li>a text with expressions in it: {@code tenant-#{#order.tenant}}.
   * </ul>
   *
   * <p>No entry: the user, else the client address. Callers without a key, because it is null,
   * empty, or there is no request, share one bucket of the limit, which no key can name.
   */
  String[] key() default {};

  /**
   * What names the buckets of {@link #value}, of the characters {@code A-Z a-z 0-9 . _ -}. By
   * default simple class name and method: {@code Orders.pay}. Two limits of one id are an error. A
   * rule of this id in a rule document replaces the limits of {@link #value}. Without {@link
   * #value} it would have no effect, and is an error.
   */
  String id() default "";

  /** How many tokens a call costs. */
  long tokens() default 1;

  /** An expression: if it is false, the limit does not apply to the call. */
  String condition() default "";

  /** An expression: if it is true, the limit does not apply to the call. Evaluated before it. */
  String unless() default "";

  /** What decides if the store fails: one value, or none for the configured one. */
  OnStoreFailure[] onStoreFailure() default {};

  /** What happens to a caller over the limit: one value, or none for the configured one. */
  OnLimitExceed[] onLimitExceed() default {};

  /**
   * The method that is called instead when the call is denied. It is in the same class, with the
   * same parameters and result, and optionally a {@link RateLimitExceededException} as its last
   * parameter.
   */
  String fallbackMethod() default "";

  /** Holds several {@link RateLimit} annotations of one element; the compiler adds it. */
  @Documented
  @Inherited
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
  @interface List {
    /** The annotations. */
    RateLimit[] value();
  }

  /** Switches the {@link RateLimit} annotations of the class off for a method. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
  @interface None {}
}
