/** What adapters plug in: rule sources, plan registries, metrics. */
@NullMarked
package dev.redline.core.spi;

import org.jspecify.annotations.NullMarked;
