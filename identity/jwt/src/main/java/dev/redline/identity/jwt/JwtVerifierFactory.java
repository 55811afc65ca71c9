package dev.redline.identity.jwt;

import dev.redline.core.internal.token.JwtSettings;
import dev.redline.core.internal.token.TokenVerifier;
import dev.redline.core.internal.token.TokenVerifierFactory;

/** Starts verifiers of JSON Web Tokens. */
public final class JwtVerifierFactory implements TokenVerifierFactory {
  /** Creates the factory; {@link java.util.ServiceLoader} calls it. */
  public JwtVerifierFactory() {}

  @Override
  public TokenVerifier start(JwtSettings settings) {
    return JwtVerifier.start(settings);
  }
}
