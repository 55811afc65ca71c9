package dev.redline.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Collects a flat reply of integers without boxing them. */
final class NumbersOutput extends CommandOutput<byte[], byte[], long[]> {
  private long[] numbers = new long[16];
  private int size;
  private boolean hasOtherTypes;

  NumbersOutput() {
    super(ByteArrayCodec.INSTANCE, new long[0]);
  }

  /** Returns an array that starts with the integers; {@link #size} says how many there are. */
  @Override
  public long[] get() {
    return numbers;
  }

  /** Returns how many integers there are. */
  int size() {
    return size;
  }

  /** Returns whether the reply contains elements that are not integers. */
  boolean hasOtherTypes() {
    return hasOtherTypes;
  }

  @Override
  public void set(long integer) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, size * 2);
    }
    numbers[size++] = integer;
  }

  @Override
  public void set(ByteBuffer bytes) {
    hasOtherTypes = true;
  }

  @Override
  public void set(double number) {
    hasOtherTypes = true;
  }

  @Override
  public void set(boolean value) {
    hasOtherTypes = true;
  }

  @Override
  public void multi(int count) {
    if (count > numbers.length) {
      numbers = Arrays.copyOf(numbers, count);
    }
  }
}
