/** What callers notice while Redis fails in ten ways, and when it is back. */
@NullMarked
package dev.redline.bench.faults;

import org.jspecify.annotations.NullMarked;
