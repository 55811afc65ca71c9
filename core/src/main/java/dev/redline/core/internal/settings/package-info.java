/** Reads, checks and documents {@code rl.*} properties; every module reads its own. */
@NullMarked
package dev.redline.core.internal.settings;

import org.jspecify.annotations.NullMarked;
