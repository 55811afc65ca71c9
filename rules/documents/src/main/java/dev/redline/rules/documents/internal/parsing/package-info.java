/** Text to trees: YAML, JSON and properties become nodes that know their lines. */
@NullMarked
package dev.redline.rules.documents.internal.parsing;

import org.jspecify.annotations.NullMarked;
