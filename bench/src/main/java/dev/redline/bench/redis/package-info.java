/** Decisions on Redis: Redline, its peers, and one plain script call per decision. */
@NullMarked
package dev.redline.bench.redis;

import org.jspecify.annotations.NullMarked;
