/** What adapters plug in: stores, rule sources and metrics exporters, and their factories. */
@NullMarked
package dev.redline.core.spi;

import org.jspecify.annotations.NullMarked;
