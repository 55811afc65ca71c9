package dev.redline.server.access;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates the callers of the data plane by token ({@code rl.server.auth.tokens}), if any is
 * configured.
 *
 * <p>A token is sent as {@code Authorization: Bearer …}, or as {@value #TOKEN_HEADER} by a proxy
 * that forwards the {@code Authorization} of its client. Thread-safe.
 */
public final class CallerAuthenticator {
  /** The header field for a token where {@code Authorization} belongs to the client. */
  public static final String TOKEN_HEADER = "X-Redline-Token";

  /** The header field that a response of status 401 has. */
  public static final Map<String, String> CHALLENGE =
      Map.of("WWW-Authenticate", "Bearer realm=\"redline\"");

  private static final String SCHEME = "bearer ";

  /** Which header field authenticated a caller. */
  public enum Credential {
    /** None is needed. */
    NONE,
    /** {@code Authorization: Bearer …}. */
    AUTHORIZATION,
    /** {@value CallerAuthenticator#TOKEN_HEADER}. */
    TOKEN_HEADER
  }

  private final List<TokenDigest> tokens;
  private final FailedLoginLog log = new FailedLoginLog();

  /** Creates an authenticator for tokens; without any, everybody may call. */
  public CallerAuthenticator(Map<String, String> tokensByName) {
    this.tokens = tokensByName.values().stream().map(TokenDigest::of).toList();
  }

  /**
   * Authenticates a request.
   *
   * @param authorization the value of the {@code Authorization} header field, if it was sent
   * @param token the value of the {@value #TOKEN_HEADER} header field, if it was sent
   * @param remote the caller's address, for the log
   * @return what authenticated the caller; empty if the request is to be answered with 401
   */
  public Optional<Credential> authenticate(
      @Nullable String authorization, @Nullable String token, @Nullable String remote) {
    if (tokens.isEmpty()) {
      return Optional.of(Credential.NONE);
    }
    if (token != null && isKnown(token.strip())) {
      return Optional.of(Credential.TOKEN_HEADER);
    }
    if (authorization != null
        && authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)
        && isKnown(authorization.substring(SCHEME.length()).strip())) {
      return Optional.of(Credential.AUTHORIZATION);
    }
    if (authorization != null || token != null) {
      log.record(String.valueOf(remote));
    }
    return Optional.empty();
  }

  /** Compares with all tokens, also after one matched. */
  private boolean isKnown(String token) {
    TokenDigest presented = TokenDigest.of(token);
    boolean known = false;
    for (TokenDigest digest : tokens) {
      known |= digest.matches(presented);
    }
    return known;
  }
}
