/** Decisions inside one process: Redline, its peers and the floor under all of them. */
@NullMarked
package dev.redline.bench.local;

import org.jspecify.annotations.NullMarked;
