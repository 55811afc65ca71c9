/** The rule source {@code CONSUL}: documents in the key/value store of Consul. */
@NullMarked
package dev.redline.rules.consul;

import org.jspecify.annotations.NullMarked;
