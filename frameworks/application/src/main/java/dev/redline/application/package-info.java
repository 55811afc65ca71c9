/**
 * What applications of all frameworks have in common between {@code rl.*} properties and limited
 * requests: typed settings, and the choice of what decides.
 */
@NullMarked
package dev.redline.application;

import org.jspecify.annotations.NullMarked;
