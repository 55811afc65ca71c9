/**
 * What tests of and with Redline need: a clock to turn by hand, assertions for decisions, and the
 * contract every store must pass.
 */
@NullMarked
package dev.redline.testkit;

import org.jspecify.annotations.NullMarked;
