package dev.redline.core.internal.token;

import java.util.Optional;

/** Verifies the tokens of users. Thread-safe, and never blocks. */
public interface TokenVerifier extends AutoCloseable {
  /** Returns the user whom a token names; empty if the token is not valid. */
  Optional<String> user(String token);

  /** Returns what happens to a request whose token is not valid. */
  JwtSettings.OnInvalid onInvalid();

  @Override
  void close();
}
