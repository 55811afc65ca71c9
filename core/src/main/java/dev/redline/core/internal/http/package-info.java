/** What a decision means in HTTP, and who an HTTP request comes from; without any HTTP library. */
@NullMarked
package dev.redline.core.internal.http;

import org.jspecify.annotations.NullMarked;
