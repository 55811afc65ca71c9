/** A Jakarta EE application with one endpoint for each way to limit. */
@NullMarked
package dev.redline.samples.jakarta;

import org.jspecify.annotations.NullMarked;
