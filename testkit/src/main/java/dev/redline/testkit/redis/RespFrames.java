package dev.redline.testkit.redis;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Splits a stream of the Redis protocol (RESP 2 or 3) into whole commands or replies. */
final class RespFrames {
  private final InputStream in;
  private final ByteArrayOutputStream frame = new ByteArrayOutputStream();

  RespFrames(InputStream in) {
    this.in = in;
  }

  /** Returns the next frame, or null at the end of the stream. */
  byte @Nullable [] next() throws IOException {
    frame.reset();
    int type = in.read();
    if (type == -1) {
      return null;
    }
    read(type);
    return frame.toByteArray();
  }

  private void read(int type) throws IOException {
    frame.write(type);
    String line = line();
    switch (type) {
      case '$', '=', '!' -> bytes(Integer.parseInt(line));
      case '*', '~', '>' -> frames(Integer.parseInt(line));
      case '%' -> frames(2 * Integer.parseInt(line));
      case '|' -> frames(2 * Integer.parseInt(line) + 1);
      default -> {}
    }
  }

  private void frames(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      read(in.read());
    }
  }

  private void bytes(int length) throws IOException {
    if (length < 0) {
      return;
    }
    byte[] bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("the stream ends within a frame");
    }
    frame.write(bytes);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c == -1) {
        throw new EOFException("the stream ends within a frame");
      }
      frame.write(c);
      line.append((char) c);
    }
    frame.write('\n');
    return line.toString().strip();
  }

  /** Returns the name of a command. */
  static String name(byte[] command) {
    String text = new String(command, StandardCharsets.ISO_8859_1);
    String[] lines = text.split("\r\n", 4);
    return lines.length < 3 ? "" : lines[2];
  }
}
