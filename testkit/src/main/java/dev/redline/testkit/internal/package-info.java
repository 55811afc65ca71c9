/** What other modules of this project need of the test kit, and its users do not. */
@NullMarked
package dev.redline.testkit.internal;

import org.jspecify.annotations.NullMarked;
