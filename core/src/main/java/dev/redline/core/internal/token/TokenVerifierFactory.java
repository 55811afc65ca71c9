package dev.redline.core.internal.token;

/**
 * Starts what verifies tokens. {@link java.util.ServiceLoader} finds it in a module that brings the
 * library for it, so that applications without tokens need none.
 */
public interface TokenVerifierFactory {
  /** Starts a verifier; keys that cannot be read yet are read later. */
  TokenVerifier start(JwtSettings settings);
}
