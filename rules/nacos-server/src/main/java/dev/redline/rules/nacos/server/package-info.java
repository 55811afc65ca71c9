/** A real Nacos server for the tests of the rule source. */
@NullMarked
package dev.redline.rules.nacos.server;

import org.jspecify.annotations.NullMarked;
