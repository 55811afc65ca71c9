/** Decisions, failures and timings as Micrometer meters. */
@NullMarked
package dev.redline.telemetry.micrometer;

import org.jspecify.annotations.NullMarked;
