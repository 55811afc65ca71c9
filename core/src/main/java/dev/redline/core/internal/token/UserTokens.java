package dev.redline.core.internal.token;

import dev.redline.core.internal.token.JwtSettings.OnInvalid;
import dev.redline.core.key.RequestContext;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the user of a request by the token in its {@code Authorization}. Thread-safe. */
public final class UserTokens {
  /** No token names a user. */
  public static final UserTokens NONE = new UserTokens(null);

  private static final String SCHEME = "bearer ";

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

  /** Returns the token of an {@code Authorization}; empty if it is of another scheme. */
  private static Optional<String> bearerToken(String authorization) {
    return authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)
        ? Optional.of(authorization.substring(SCHEME.length()).strip())
        : Optional.empty();
  }
}
