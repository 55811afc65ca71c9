/** The LOCAL store: bucket state in this process. */
@NullMarked
package dev.redline.core.memory;

import org.jspecify.annotations.NullMarked;
