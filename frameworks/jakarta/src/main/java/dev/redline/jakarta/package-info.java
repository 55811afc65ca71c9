/**
 * {@code @RateLimit} and the HTTP filter on Jakarta EE 10: a CDI extension with its interceptor, a
 * feature of Jakarta REST and a servlet filter. The container finds all of them by service files.
 */
@NullMarked
package dev.redline.jakarta;

import org.jspecify.annotations.NullMarked;
