/**
 * The test kit: a manual clock, assertions about decisions, the contract that every store must
 * pass, and a checker for histories of shared stores.
 */
@NullMarked
package dev.redline.testkit;

import org.jspecify.annotations.NullMarked;
