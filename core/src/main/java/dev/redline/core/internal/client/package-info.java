/** Calls other servers over HTTP, for rule sources and for the client of a Redline server. */
@NullMarked
package dev.redline.core.internal.client;

import org.jspecify.annotations.NullMarked;
