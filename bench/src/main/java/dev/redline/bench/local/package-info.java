/** Decisions inside one process: Redline, its peers and a minimal baseline. */
@NullMarked
package dev.redline.bench.local;

import org.jspecify.annotations.NullMarked;
