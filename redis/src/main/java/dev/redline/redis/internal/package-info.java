/** Lettuce clients with Redline's options, for its own modules. Not for applications. */
@NullMarked
package dev.redline.redis.internal;

import org.jspecify.annotations.NullMarked;
