/** The portable expression language: parser, syntax tree and values. */
@NullMarked
package dev.redline.binding.internal.expression;

import org.jspecify.annotations.NullMarked;
