/**
 * {@code @RateLimit} and rules for Quarkus: an interceptor of CDI beans, filters of HTTP requests,
 * and the responses to denied ones.
 */
@NullMarked
package dev.redline.quarkus;

import org.jspecify.annotations.NullMarked;
