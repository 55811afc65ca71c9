/** Fault drills: the effects on callers of Redis failing in eleven ways, and of its recovery. */
@NullMarked
package dev.redline.bench.faults;

import org.jspecify.annotations.NullMarked;
