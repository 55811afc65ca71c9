package dev.redline.server.access;

import dev.redline.core.internal.digest.Sha256;
import java.security.MessageDigest;

/** The digest of a token. Tokens are kept and compared as digests only. */
final class TokenDigest {
  private final byte[] digest;

  private TokenDigest(byte[] digest) {
    this.digest = digest;
  }

  static TokenDigest of(String token) {
    return new TokenDigest(Sha256.of(token));
  }

  /** Compares in constant time: the time does not depend on how much of a guess is right. */
  boolean matches(TokenDigest other) {
    return MessageDigest.isEqual(digest, other.digest);
  }
}
