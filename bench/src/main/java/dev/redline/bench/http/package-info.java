/** Decisions over HTTP: the service compared with a bare server that returns a constant. */
@NullMarked
package dev.redline.bench.http;

import org.jspecify.annotations.NullMarked;
