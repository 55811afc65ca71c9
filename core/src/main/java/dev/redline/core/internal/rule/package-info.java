/** Rules as a rule book compiles them, and the index that finds them by path. */
@NullMarked
package dev.redline.core.internal.rule;

import org.jspecify.annotations.NullMarked;
