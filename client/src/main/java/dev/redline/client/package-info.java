/** Decisions of a Redline server: the handler {@code REMOTE}. */
@NullMarked
package dev.redline.client;

import org.jspecify.annotations.NullMarked;
