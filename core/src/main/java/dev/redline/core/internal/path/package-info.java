/** Request paths: one normal form, patterns over it, and an index of many patterns. */
@NullMarked
package dev.redline.core.internal.path;

import org.jspecify.annotations.NullMarked;
