package dev.redline.core.internal.key;

import dev.redline.core.internal.digest.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Stands in for an identity that cannot be kept as it is: too long, or without a UTF-8 form. */
public final class IdentityDigest {
  private static final String PREFIX = "x:";

  private IdentityDigest() {}

  /** Returns whether the text has the form of a digest. */
  static boolean isOne(String text) {
    return text.startsWith(PREFIX);
  }

  /** Returns {@code x:} and the SHA-256 of the identity's characters in hex. */
  public static String of(String identity) {
    MessageDigest sha256 = Sha256.start();
    // Not by a charset: it would make all halves of surrogate pairs the same.
    for (int i = 0; i < identity.length(); i++) {
      sha256.update((byte) (identity.charAt(i) >>> 8));
      sha256.update((byte) identity.charAt(i));
    }
    return PREFIX + HexFormat.of().formatHex(sha256.digest());
  }
}
