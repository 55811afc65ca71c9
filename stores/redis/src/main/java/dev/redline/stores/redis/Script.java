package dev.redline.stores.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script and the SHA-1 digest Redis knows it by. */
final class Script {
  private final byte[] text;
  private final byte[] digest;

  private Script(byte[] text, byte[] digest) {
    this.text = text;
    this.digest = digest;
  }

  static Script load(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the script " + name + " is missing from the class path");
      }
      return of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Script of(byte[] text) {
    try {
      byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(text);
      return new Script(text, HexFormat.of().formatHex(sha1).getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-1", e);
    }
  }

  byte[] text() {
    return text;
  }

  /** Returns the digest in hex. */
  byte[] digest() {
    return digest;
  }
}
