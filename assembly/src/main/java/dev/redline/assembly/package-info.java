/**
 * Puts the parts together: from {@code rl.*} properties, the plugins on the class path and the
 * objects of an application to a running engine.
 */
@NullMarked
package dev.redline.assembly;

import org.jspecify.annotations.NullMarked;
