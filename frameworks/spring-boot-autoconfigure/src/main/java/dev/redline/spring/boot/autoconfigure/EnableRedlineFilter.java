package dev.redline.spring.boot.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Declares a web filter in code, on a configuration class, where {@code rl.filters.<name>.*} would
 * declare it by properties:
 *
 * <pre>{@code
 * @Configuration
 * @EnableRedlineFilter(name = "login", ruleSetId = "login", order = -200, includePatterns = "/login/*")
 * class LoginLimits {}
 * }</pre>
 *
 * <p>Properties of the same filter win over the attributes, so that an operator can change them and
 * {@code enabled}. Needs Redline's auto-configuration, and works on servlets and on WebFlux.
 */
@Documented
@Repeatable(EnableRedlineFilter.List.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import(EnabledFilterRegistrar.class)
public @interface EnableRedlineFilter {
  /**
   * The name, of lower-case letters, digits and dashes; none for the filter of {@code rl.filter.*},
   * which exists anyway and gets these attributes.
   */
  String name() default "";

  /** The rule set; none for {@code rl.default-rule-set-id}. */
  String ruleSetId() default "";

  /** The place among the filters; by default after Spring Security, which has -100. */
  int order() default SpringOrder.FILTER_AFTER_SECURITY;

  /** The paths that the filter limits; none for every path. A last {@code /*} covers any depth. */
  String[] includePatterns() default {};

  /** The paths that the filter does not limit. */
  String[] excludePatterns() default {};

  /** Holds several annotations of one class; the compiler adds it. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  @Import(EnabledFilterRegistrar.class)
  @interface List {
    /** The annotations. */
    EnableRedlineFilter[] value();
  }
}
