/**
 * The data plane: decisions over HTTP, on the thread that reads the request.
 *
 * <p>A request is routed by {@link dev.redline.server.data.Router}, read straight from its bytes,
 * answered by one endpoint, and told to the metrics. Everything of one connection happens on one
 * event loop; nothing here blocks.
 */
@NullMarked
package dev.redline.server.data;

import org.jspecify.annotations.NullMarked;
