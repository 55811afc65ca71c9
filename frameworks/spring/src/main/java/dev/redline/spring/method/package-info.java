/** {@code @RateLimit} on methods of beans: the advisor, expressions, and checks at the start. */
@NullMarked
package dev.redline.spring.method;

import org.jspecify.annotations.NullMarked;
