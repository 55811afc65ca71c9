/** Log lines about requests: denials, and the trace that a request belongs to. */
@NullMarked
package dev.redline.server.logging;

import org.jspecify.annotations.NullMarked;
