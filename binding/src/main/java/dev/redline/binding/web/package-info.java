/**
 * What web filters and annotated methods share in all frameworks: who the client is, which paths a
 * filter limits, header fields and denials.
 */
@NullMarked
package dev.redline.binding.web;

import org.jspecify.annotations.NullMarked;
