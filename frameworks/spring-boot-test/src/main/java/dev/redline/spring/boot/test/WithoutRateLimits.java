package dev.redline.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Switches limiting off for a test or for all tests of a class, as {@code rl.enabled=false} does,
 * but with the same application context as other tests. Not for tests that run at the same time in
 * one context.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface WithoutRateLimits {}
