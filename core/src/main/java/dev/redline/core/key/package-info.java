/** Who is asking: key fields, resolvers, addresses, digests, and the key that names one bucket. */
@NullMarked
package dev.redline.core.key;

import org.jspecify.annotations.NullMarked;
