/** The rules that come with the service. */
@NullMarked
package dev.redline.server.rules;

import org.jspecify.annotations.NullMarked;
