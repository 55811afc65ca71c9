package dev.redline.core.internal.token;

import dev.redline.core.internal.token.JwtSettings.OnInvalid;
import dev.redline.core.key.RequestContext;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the user of a request by the token in its {@code Authorization}. Thread-safe. */
public final class UserTokens {
  /** No token names a user. */
  public static final UserTokens NONE = new UserTokens(null);

  private static final String SCHEME = "bearer";

  private final @Nullable TokenVerifier verifier;

  /** Creates an instance; without a verifier no token names a user. */
  public UserTokens(@Nullable TokenVerifier verifier) {
    this.verifier = verifier;
  }

  /** Returns whether the {@code Authorization} of requests has an effect at all. */
  public boolean areRead() {
    return verifier != null;
  }

  /**
   * Sets the user of a request whose token is valid.
   *
   * @param authorization the values of the {@code Authorization} header field
   * @return false if the request is to be denied, because its token is not valid
   */
  public boolean identify(RequestContext.Builder request, List<String> authorization) {
    if (verifier == null || authorization.isEmpty()) {
      return true;
    }
    Optional<String> user;
    if (authorization.stream().distinct().count() > 1) {
      // One of them came from elsewhere, and it cannot be known which.
      user = Optional.empty();
    } else {
      Optional<String> token = bearerToken(authorization.get(0));
      if (token.isEmpty()) {
        return true;
      }
      user = verifier.user(token.get());
    }
    user.ifPresent(request::userId);
    return user.isPresent() || verifier.onInvalid() == OnInvalid.IGNORE;
  }

  /**
   * Returns the token of an {@code Authorization}; empty if it is of another scheme. Applications
   * accept more than the one space of RFC 6750, so every whitespace after the scheme counts. A
   * missing token is an empty one, which is not valid.
   */
  private static Optional<String> bearerToken(String authorization) {
    String value = authorization.strip();
    if (!value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    String rest = value.substring(SCHEME.length());
    return rest.isEmpty() || Character.isWhitespace(rest.charAt(0))
        ? Optional.of(rest.strip())
        : Optional.empty();
  }
}
