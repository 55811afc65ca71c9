/** The arithmetic of limits: pure functions on integers, the same in every store. */
@NullMarked
package dev.redline.core.internal.limit;

import org.jspecify.annotations.NullMarked;
