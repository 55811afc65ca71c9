/** Where problems are reported, and the locations they name. */
@NullMarked
package dev.redline.rules.documents.internal.problem;

import org.jspecify.annotations.NullMarked;
