package dev.redline.server.access;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The token in a header field {@code Authorization: Bearer …} (RFC 6750). */
final class BearerToken {
  private static final String SCHEME = "bearer ";

  private BearerToken() {}

  /** Returns the token, if the field was sent and has this scheme. */
  static Optional<String> of(@Nullable String authorization) {
    return authorization != null && authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)
        ? Optional.of(authorization.substring(SCHEME.length()).strip())
        : Optional.empty();
  }
}
