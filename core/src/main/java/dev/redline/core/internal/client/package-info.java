/** Calls other servers over HTTP, for rule sources and clients; never on the request path. */
@NullMarked
package dev.redline.core.internal.client;

import org.jspecify.annotations.NullMarked;
