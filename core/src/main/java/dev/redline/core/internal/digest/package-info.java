/** Digests of texts and bytes. */
@NullMarked
package dev.redline.core.internal.digest;

import org.jspecify.annotations.NullMarked;
