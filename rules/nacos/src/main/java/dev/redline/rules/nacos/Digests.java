package dev.redline.rules.nacos;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Digests of documents, in hexadecimal. */
final class Digests {
  private Digests() {}

  /** Returns the digest by which Nacos compares documents; it is no protection. */
  static String md5(byte[] bytes) {
    return digest("MD5", bytes);
  }

  static String sha256(byte[] bytes) {
    return digest("SHA-256", bytes);
  }

  private static String digest(String algorithm, byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    }
  }
}
