/** Factories of the rule sources that read files. */
@NullMarked
package dev.redline.rules.documents.internal.sources;

import org.jspecify.annotations.NullMarked;
