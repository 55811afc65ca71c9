/** Reads the small JSON documents of other servers' APIs. */
@NullMarked
package dev.redline.core.internal.json;

import org.jspecify.annotations.NullMarked;
