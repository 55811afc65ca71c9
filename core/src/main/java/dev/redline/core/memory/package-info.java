/** Bucket state in this process: the LOCAL store and what other in-memory stores share with it. */
@NullMarked
package dev.redline.core.memory;

import org.jspecify.annotations.NullMarked;
