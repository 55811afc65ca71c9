/** The facade users call, the engine behind it, and what goes in and comes out of a decision. */
@NullMarked
package dev.redline.core;

import org.jspecify.annotations.NullMarked;
