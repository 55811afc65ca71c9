/**
 * Authentication of the admin API and of {@code GET /v1/rules}: bearer tokens, with a limit on
 * guessing.
 */
@NullMarked
package dev.redline.server.access;

import org.jspecify.annotations.NullMarked;
