/** What a limit costs a Quarkus application. */
@NullMarked
package dev.redline.bench.quarkus;

import org.jspecify.annotations.NullMarked;
