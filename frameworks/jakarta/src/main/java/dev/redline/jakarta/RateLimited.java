package dev.redline.jakarta;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Binds the interceptor to methods. The extension adds it to what has {@link
 * dev.redline.core.RateLimit}; applications do not use it.
 */
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface RateLimited {
  /** The annotation as an object. */
  final class Literal extends AnnotationLiteral<RateLimited> implements RateLimited {
    private static final long serialVersionUID = 1L;

    /** The only one. */
    static final Literal INSTANCE = new Literal();

    private Literal() {}
  }
}
