/** The Quarkus sample without Redline. */
@NullMarked
package dev.redline.bench.quarkus.plain;

import org.jspecify.annotations.NullMarked;
