/** Decisions on Redis: Redline, its peers, and a baseline of one script call per decision. */
@NullMarked
package dev.redline.bench.redis;

import org.jspecify.annotations.NullMarked;
