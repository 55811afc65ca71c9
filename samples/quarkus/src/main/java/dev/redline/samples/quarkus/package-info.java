/** A Quarkus application with one dependency on Redline. */
@NullMarked
package dev.redline.samples.quarkus;

import org.jspecify.annotations.NullMarked;
