/** The port to the stores of bucket state. */
@NullMarked
package dev.redline.core.store;

import org.jspecify.annotations.NullMarked;
