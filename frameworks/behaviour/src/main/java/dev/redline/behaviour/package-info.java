/** What every sample application does over HTTP, in any framework. */
@NullMarked
package dev.redline.behaviour;

import org.jspecify.annotations.NullMarked;
