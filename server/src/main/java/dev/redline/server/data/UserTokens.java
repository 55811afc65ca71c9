package dev.redline.server.data;

import dev.redline.core.key.RequestContext;
import dev.redline.identity.jwt.JwtSettings.OnInvalid;
import dev.redline.identity.jwt.JwtVerifier;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the user of a described request by the JWT in its {@code Authorization}. Thread-safe. */
public final class UserTokens {
  private final @Nullable JwtVerifier verifier;

  /** Creates an instance; without a verifier no token names a user. */
  public UserTokens(@Nullable JwtVerifier verifier) {
    this.verifier = verifier;
  }

  /**
   * Sets the user of a request whose token is valid.
   *
   * @param authorization the values of the described {@code Authorization} header field
   * @return false if the request is to be denied, because its token is not valid
   */
  boolean identify(RequestContext.Builder request, List<String> authorization) {
    if (verifier == null || authorization.isEmpty()) {
      return true;
    }
    Optional<String> user;
    if (authorization.stream().distinct().count() > 1) {
      // One of them came from elsewhere, and it cannot be known which.
      user = Optional.empty();
    } else {
      Optional<String> token = JwtVerifier.bearerToken(authorization.get(0));
      if (token.isEmpty()) {
        return true;
      }
      user = verifier.user(token.get());
    }
    user.ifPresent(request::userId);
    return user.isPresent() || verifier.onInvalid() == OnInvalid.IGNORE;
  }
}
