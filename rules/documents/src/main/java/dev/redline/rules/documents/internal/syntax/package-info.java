/** How single values are written in documents: durations, limits, rates, times, enum constants. */
@NullMarked
package dev.redline.rules.documents.internal.syntax;

import org.jspecify.annotations.NullMarked;
