/** How identities become texts: digests, and the scheme that keeps every combination distinct. */
@NullMarked
package dev.redline.core.internal.key;

import org.jspecify.annotations.NullMarked;
