/** What a limit is: bands, and the compiled limits of a bucket. */
@NullMarked
package dev.redline.core.limit;

import org.jspecify.annotations.NullMarked;
