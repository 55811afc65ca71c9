/** A sample application: three instances that share their limits over Redis. */
@NullMarked
package dev.redline.samples.redis;

import org.jspecify.annotations.NullMarked;
