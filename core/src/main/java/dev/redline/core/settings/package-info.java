/** The {@code rl.*} properties: one definition for every framework and the server. */
@NullMarked
package dev.redline.core.settings;

import org.jspecify.annotations.NullMarked;
