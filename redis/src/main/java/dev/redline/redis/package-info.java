/** Where Redis is and how to connect to it, for the Redis store and the Redis rule source. */
@NullMarked
package dev.redline.redis;

import org.jspecify.annotations.NullMarked;
