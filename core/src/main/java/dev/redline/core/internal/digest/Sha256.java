package dev.redline.core.internal.digest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of bytes, and of texts in UTF-8. */
public final class Sha256 {
  private Sha256() {}

  /** Returns the 32 bytes of the digest. */
  public static byte[] of(byte[] bytes) {
    return start().digest(bytes);
  }

  /** Returns the 32 bytes of the digest. */
  public static byte[] of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the 64 hex digits of the digest, in lower case. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(of(bytes));
  }

  /** Returns the 64 hex digits of the digest, in lower case. */
  public static String hex(String text) {
    return HexFormat.of().formatHex(of(text));
  }

  /** Starts a digest of several parts. */
  public static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
