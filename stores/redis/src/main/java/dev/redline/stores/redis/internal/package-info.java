/** What other modules of this project need of the store REDIS; not for users. */
@NullMarked
package dev.redline.stores.redis.internal;

import org.jspecify.annotations.NullMarked;
