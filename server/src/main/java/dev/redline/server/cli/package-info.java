/** The command line. */
@NullMarked
package dev.redline.server.cli;

import org.jspecify.annotations.NullMarked;
