/** Parts of the test kit for other modules of this project; not for users. */
@NullMarked
package dev.redline.testkit.internal;

import org.jspecify.annotations.NullMarked;
