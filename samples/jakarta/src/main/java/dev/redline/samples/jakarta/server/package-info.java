/** Runs the application without an application server; not a part of its WAR. */
@NullMarked
package dev.redline.samples.jakarta.server;

import org.jspecify.annotations.NullMarked;
