/** A real PostgreSQL server for tests. */
@NullMarked
package dev.redline.testkit.postgres;

import org.jspecify.annotations.NullMarked;
