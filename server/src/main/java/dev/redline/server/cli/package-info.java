/** The command line: one class per command, registered in {@code Redline}. */
@NullMarked
package dev.redline.server.cli;

import org.jspecify.annotations.NullMarked;
