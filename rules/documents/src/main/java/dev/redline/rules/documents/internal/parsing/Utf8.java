package dev.redline.rules.documents.internal.parsing;

/** Sizes of texts. */
public final class Utf8 {
  private Utf8() {}

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
