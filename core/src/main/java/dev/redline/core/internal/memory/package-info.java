/** Bucket state in this process, shared by all in-memory stores. */
@NullMarked
package dev.redline.core.internal.memory;

import org.jspecify.annotations.NullMarked;
