/** How an acquisition is decided, the same in every store that decides in Java. */
@NullMarked
package dev.redline.core.internal.store;

import org.jspecify.annotations.NullMarked;
