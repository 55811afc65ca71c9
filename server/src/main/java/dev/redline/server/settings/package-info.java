/** The {@code rl.*} properties of the service: those of its modules, and its own. */
@NullMarked
package dev.redline.server.settings;

import org.jspecify.annotations.NullMarked;
