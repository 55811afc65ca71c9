/** A rule document in Redis: versioned, with history and audit log, published to all nodes. */
@NullMarked
package dev.redline.rules.redis;

import org.jspecify.annotations.NullMarked;
