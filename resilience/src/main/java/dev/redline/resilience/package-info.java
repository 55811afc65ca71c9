/** Circuit breakers for remote stores, and a local fallback while they are open. */
@NullMarked
package dev.redline.resilience;

import org.jspecify.annotations.NullMarked;
