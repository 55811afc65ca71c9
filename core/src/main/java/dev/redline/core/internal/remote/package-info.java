/** What shared stores have in common: deny cache, generations of resets, blocking calls. */
@NullMarked
package dev.redline.core.internal.remote;

import org.jspecify.annotations.NullMarked;
