/** Assembles the service with Spring: properties, store, engine, rules, both ports. */
@NullMarked
package dev.redline.server.wiring;

import org.jspecify.annotations.NullMarked;
