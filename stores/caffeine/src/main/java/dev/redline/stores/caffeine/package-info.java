/** Bucket state in this process, in a Caffeine cache. */
@NullMarked
package dev.redline.stores.caffeine;

import org.jspecify.annotations.NullMarked;
