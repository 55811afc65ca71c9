/** Who the user of a request is by its token: settings, and what verifies tokens. */
@NullMarked
package dev.redline.core.internal.token;

import org.jspecify.annotations.NullMarked;
