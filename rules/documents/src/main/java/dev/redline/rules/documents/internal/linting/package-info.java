/** Warnings about valid documents: bands and rules that have no effect. */
@NullMarked
package dev.redline.rules.documents.internal.linting;

import org.jspecify.annotations.NullMarked;
