/** Thousands of nodes on simulated time: how many Redis masters they need, and what callers get. */
@NullMarked
package dev.redline.bench.scale;

import org.jspecify.annotations.NullMarked;
