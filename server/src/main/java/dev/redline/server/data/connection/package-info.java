/**
 * The TCP connections of the data plane: how many there are, how long they may be idle or slow, and
 * how they end. HTTP itself is in {@code dev.redline.server.data}.
 */
@NullMarked
package dev.redline.server.data.connection;

import org.jspecify.annotations.NullMarked;
