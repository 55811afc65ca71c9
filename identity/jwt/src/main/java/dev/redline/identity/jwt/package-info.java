/**
 * Users from JSON Web Tokens (RFC 7519). Only a token whose signature, issuer, audience and times
 * are verified names a user.
 */
@NullMarked
package dev.redline.identity.jwt;

import org.jspecify.annotations.NullMarked;
