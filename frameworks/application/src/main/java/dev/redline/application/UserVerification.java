package dev.redline.application;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.core.internal.token.JwtSettings;
import dev.redline.core.internal.token.TokenVerifier;
import dev.redline.core.internal.token.TokenVerifierFactory;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.PropertyReader;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the tokens of users, if {@code rl.identity.jwt.*} names a key. A module of its own does
 * that, which applications without tokens do not need.
 */
public final class UserVerification implements AutoCloseable {
  private static final String MODULE = "dev.redline:redline-identity-jwt";
  private static final String LIBRARY = "com.nimbusds:nimbus-jose-jwt";
  private static final String PREFIX = "rl.identity.jwt.";

  private final ClientIdentity identity;
  private final @Nullable TokenVerifier verifier;

  private UserVerification(ClientIdentity identity, @Nullable TokenVerifier verifier) {
    this.identity = identity;
    this.verifier = verifier;
  }

  /** Reads which tokens are valid; a key without the module that verifies them is a problem. */
  static Optional<JwtSettings> read(PropertyReader from) {
    Optional<JwtSettings> settings = JwtSettings.read(from);
    if (settings.isPresent() && factory().isEmpty()) {
      for (String key : List.of("hmac-secret", "hmac-secret-file", "jwks")) {
        from.reject(PREFIX + key, "add " + MODULE + " to the class path, which verifies JWTs");
      }
    }
    return settings;
  }

  private static Optional<TokenVerifierFactory> factory() {
    return ServiceLoader.load(TokenVerifierFactory.class, UserVerification.class.getClassLoader())
        .findFirst();
  }

  /**
   * Starts the verification; waits at most two seconds for a JWK set, which is read again later.
   *
   * @throws InvalidSettingsException if the library that verifies tokens is missing
   */
  public static UserVerification start(ApplicationSettings settings) {
    TokenVerifier verifier = settings.jwt().map(UserVerification::start).orElse(null);
    return new UserVerification(
        ClientIdentity.of(settings.core().identity(), new UserTokens(verifier)), verifier);
  }

  private static TokenVerifier start(JwtSettings settings) {
    try {
      return factory().orElseThrow().start(settings);
    } catch (NoClassDefFoundError e) {
      throw new InvalidSettingsException(
          List.of(PREFIX + "*: " + MODULE + " needs " + LIBRARY + " on the class path: " + e));
    }
  }

  /** Returns how filters and annotated methods find out who sent a request. */
  public ClientIdentity clientIdentity() {
    return identity;
  }

  /** Stops the reading of keys. */
  @Override
  public void close() {
    if (verifier != null) {
      verifier.close();
    }
  }
}
