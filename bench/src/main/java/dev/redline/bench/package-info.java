/** The benchmark program: peers side by side, in one run. */
@NullMarked
package dev.redline.bench;

import org.jspecify.annotations.NullMarked;
