/** Decisions over HTTP: the service beside a bare server that answers a constant. */
@NullMarked
package dev.redline.bench.http;

import org.jspecify.annotations.NullMarked;
