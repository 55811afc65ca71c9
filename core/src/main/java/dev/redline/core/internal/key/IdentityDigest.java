package dev.redline.core.internal.key;

import dev.redline.core.internal.digest.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Stands in for an identity that cannot be kept as it is: too long, or without a UTF-8 form. */
public final class IdentityDigest {
  private static final String PREFIX = "x:";

  /** How many characters are handed to the digest at once; one by one takes twice as long. */
  private static final int CHUNK = 4096;

  private IdentityDigest() {}

  /** Returns whether the text has the form of a digest. */
  static boolean isOne(String text) {
    return text.startsWith(PREFIX);
  }

  /** Returns {@code x:} and the SHA-256 of the identity's characters in hex. */
  public static String of(String identity) {
    MessageDigest sha256 = Sha256.start();
    byte[] bytes = new byte[2 * Math.min(CHUNK, identity.length())];
    for (int from = 0; from < identity.length(); from += CHUNK) {
      int chars = Math.min(CHUNK, identity.length() - from);
      // Not by a charset: it would make all halves of surrogate pairs the same.
      for (int i = 0; i < chars; i++) {
        char c = identity.charAt(from + i);
        bytes[2 * i] = (byte) (c >>> 8);
        bytes[2 * i + 1] = (byte) c;
      }
      sha256.update(bytes, 0, 2 * chars);
    }
    return PREFIX + HexFormat.of().formatHex(sha256.digest());
  }
}
