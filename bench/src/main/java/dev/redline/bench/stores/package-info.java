/** Decisions on Hazelcast and on PostgreSQL: Redline, Bucket4j, and the plain call as the floor. */
@NullMarked
package dev.redline.bench.stores;

import org.jspecify.annotations.NullMarked;
