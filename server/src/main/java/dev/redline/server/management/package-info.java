/** The management port: health, version, settings, and the metrics of its own requests. */
@NullMarked
package dev.redline.server.management;

import org.jspecify.annotations.NullMarked;
