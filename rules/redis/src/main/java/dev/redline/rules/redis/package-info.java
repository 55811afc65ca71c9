/** A rule document in Redis: versioned, with its history and audit, told to all nodes. */
@NullMarked
package dev.redline.rules.redis;

import org.jspecify.annotations.NullMarked;
