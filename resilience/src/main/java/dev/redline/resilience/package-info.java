/** What keeps a failing store from being a failing application. */
@NullMarked
package dev.redline.resilience;

import org.jspecify.annotations.NullMarked;
