package dev.redline.stores.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The value of a bucket with one token-bucket band, as the script writes it. */
record BucketValue(long generation, long fullAtMicros, long sub, long anchorMicros) {
  static BucketValue fullAt(long micros) {
    return new BucketValue(0, micros, 0, 0);
  }

  static BucketValue of(Object reply) {
    ByteBuffer in = ByteBuffer.wrap(String.valueOf(reply).getBytes(StandardCharsets.ISO_8859_1));
    return new BucketValue(number(in, 7), number(in, 7), number(in, 6), number(in, 7));
  }

  private static long number(ByteBuffer in, int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value = value << 8 | (in.get() & 0xFF);
    }
    return value;
  }

  /** Returns the bytes, each as a character. */
  @Override
  public String toString() {
    ByteBuffer out = ByteBuffer.allocate(27);
    ScriptParameters.put(out, generation, 7);
    ScriptParameters.put(out, fullAtMicros, 7);
    ScriptParameters.put(out, sub, 6);
    ScriptParameters.put(out, anchorMicros, 7);
    return new String(out.array(), StandardCharsets.ISO_8859_1);
  }
}
