package dev.redline.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest of a token. Tokens are kept and compared as digests only. */
final class TokenDigest {
  private final byte[] digest;

  private TokenDigest(byte[] digest) {
    this.digest = digest;
  }

  static TokenDigest of(String token) {
    try {
      return new TokenDigest(MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  /** Compares in constant time: the time does not depend on how much of a guess is right. */
  boolean matches(TokenDigest other) {
    return MessageDigest.isEqual(digest, other.digest);
  }
}
