/**
 * The data plane: decisions over HTTP, on the thread that reads the request.
 *
 * <p>{@link dev.redline.server.data.Router} dispatches a request to its {@link
 * dev.redline.server.data.Endpoint}, and {@link dev.redline.server.data.Exchange} sends the
 * response and records its metrics. All work of a connection happens on one event loop; nothing
 * blocks it.
 */
@NullMarked
package dev.redline.server.data;

import org.jspecify.annotations.NullMarked;
