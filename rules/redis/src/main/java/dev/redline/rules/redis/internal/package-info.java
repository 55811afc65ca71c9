/** Connections and notices in Redis, for rule sources of this project. */
@NullMarked
package dev.redline.rules.redis.internal;

import org.jspecify.annotations.NullMarked;
