package dev.redline.rules.documents.internal.parsing;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Sizes of texts, and texts from bytes. */
public final class Utf8 {
  private Utf8() {}

  /**
   * Returns the text that the bytes are.
   *
   * @throws CharacterCodingException if they are none
   */
  public static String decode(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  /** Returns how many bytes a text takes. */
  public static long length(String text) {
    long bytes = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x800) {
        bytes += Character.isSurrogate(c) ? 1 : 2;
      } else if (c >= 0x80) {
        bytes++;
      }
    }
    return bytes;
  }
}
