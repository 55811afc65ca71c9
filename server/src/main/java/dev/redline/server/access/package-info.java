/** Who may see and change the rules: tokens, and a limit on guessing them. */
@NullMarked
package dev.redline.server.access;

import org.jspecify.annotations.NullMarked;
