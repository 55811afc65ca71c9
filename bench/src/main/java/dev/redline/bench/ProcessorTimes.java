package dev.redline.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The processor time of this machine since it was started, and the part of it that the hypervisor
 * gave to other machines ("steal" in {@code /proc/stat}). While time is stolen, every process of
 * this machine stands still, and no program can have low latencies.
 *
 * @param stolen the stolen time
 * @param total the time of all processors, idle time included, in the same unit
 */
public record ProcessorTimes(long stolen, long total) {
  /** From this stolen part of the time on, a latency says more of the machine than of a program. */
  public static final double DISTURBED = 0.01;

  private static final Path STAT = Path.of("/proc/stat");
  private static final int TIMES = 8;
  private static final int STOLEN = 7;

  /** Returns the times until now; where the system does not count them, nothing is stolen. */
  public static ProcessorTimes now() {
    if (!Files.isReadable(STAT)) {
      return new ProcessorTimes(0, System.nanoTime());
    }
    try {
      return parse(Files.readString(STAT));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the first line of {@code /proc/stat}: the sums of all processors. */
  static ProcessorTimes parse(String stat) {
    List<String> words = List.of(stat.lines().findFirst().orElse("").split(" +"));
    if (!words.get(0).equals("cpu") || words.size() <= TIMES) {
      throw new IllegalArgumentException("not the processor times of Linux: " + words);
    }
    long total = 0;
    // Guest times, which follow, are part of the first two.
    for (int i = 1; i <= TIMES; i++) {
      total += Long.parseLong(words.get(i));
    }
    return new ProcessorTimes(Long.parseLong(words.get(STOLEN + 1)), total);
  }

  /** Returns which part of the time since an earlier moment was stolen: 0 to 1. */
  public double stolenSince(ProcessorTimes earlier) {
    return (double) (stolen - earlier.stolen) / Math.max(1, total - earlier.total);
  }

  /** Returns whether too much time was stolen since an earlier moment to measure latencies. */
  public boolean disturbedSince(ProcessorTimes earlier) {
    return stolenSince(earlier) >= DISTURBED;
  }
}
