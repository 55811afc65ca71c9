/** The rule source {@code REMOTE_API}: the rules in force on a Redline server. */
@NullMarked
package dev.redline.rules.remote;

import org.jspecify.annotations.NullMarked;
