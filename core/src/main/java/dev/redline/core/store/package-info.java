/** The port to whatever keeps bucket state. */
@NullMarked
package dev.redline.core.store;

import org.jspecify.annotations.NullMarked;
