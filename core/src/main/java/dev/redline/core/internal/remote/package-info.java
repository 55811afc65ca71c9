/** What stores have in common that reach their nodes by blocking calls. */
@NullMarked
package dev.redline.core.internal.remote;

import org.jspecify.annotations.NullMarked;
