package dev.redline.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Collects a flat reply of integers without boxing them; anything else in it is noted. */
final class NumbersOutput extends CommandOutput<byte[], byte[], long[]> {
  private long[] numbers = new long[16];
  private int size;
  private boolean foreign;

  NumbersOutput() {
    super(ByteArrayCodec.INSTANCE, new long[0]);
  }

  /** Returns the integers, and perhaps more room behind them; see {@link #size}. */
  @Override
  public long[] get() {
    return numbers;
  }

  /** Returns how many integers there are. */
  int size() {
    return size;
  }

  /** Returns whether the reply had something else than integers in it. */
  boolean foreign() {
    return foreign;
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
    foreign = true;
  }

  @Override
  public void set(double number) {
    foreign = true;
  }

  @Override
  public void set(boolean value) {
    foreign = true;
  }

  @Override
  public void multi(int count) {
    if (count > numbers.length) {
      numbers = Arrays.copyOf(numbers, count);
    }
  }
}
