/** Bucket state in Redis or Valkey: one atomic script, batched, exact by the server's clock. */
@NullMarked
package dev.redline.stores.redis;

import org.jspecify.annotations.NullMarked;
