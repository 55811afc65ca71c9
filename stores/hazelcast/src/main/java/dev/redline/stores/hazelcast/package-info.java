/** The store {@code HAZELCAST}: bucket state in a Hazelcast cluster. */
@NullMarked
package dev.redline.stores.hazelcast;

import org.jspecify.annotations.NullMarked;
