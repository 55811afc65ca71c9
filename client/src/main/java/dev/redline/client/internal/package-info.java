/** How a Redline server is called: JSON, batches, time-outs, failures. */
@NullMarked
package dev.redline.client.internal;

import org.jspecify.annotations.NullMarked;
