/** Brings rules from their source into force. */
@NullMarked
package dev.redline.server.rules;

import org.jspecify.annotations.NullMarked;
