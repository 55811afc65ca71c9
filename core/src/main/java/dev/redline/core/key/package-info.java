/** Who is limited: key fields, resolvers, addresses, and what is known of a request. */
@NullMarked
package dev.redline.core.key;

import org.jspecify.annotations.NullMarked;
