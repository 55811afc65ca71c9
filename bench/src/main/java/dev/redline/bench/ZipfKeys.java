package dev.redline.bench;

import java.util.SplittableRandom;

/**
 * Draws keys by Zipf's law: the k-th busiest of them as often as 1/k^s. In constant time, by the <a
 * href="https://en.wikipedia.org/wiki/Alias_method">alias method</a>.
 */
public final class ZipfKeys {
  private final double[] threshold;
  private final int[] alias;
  private final double weights;
  private final double exponent;

  /** Creates the law for that many keys, with the exponent s. */
  public ZipfKeys(int keys, double exponent) {
    this.exponent = exponent;
    double[] scaled = new double[keys];
    double sum = 0;
    for (int k = 0; k < keys; k++) {
      scaled[k] = Math.pow(k + 1.0, -exponent);
      sum += scaled[k];
    }
    this.weights = sum;
    this.threshold = new double[keys];
    this.alias = new int[keys];
    // Weights fall with the index, so the large ones are a prefix and the small ones a suffix.
    int[] small = new int[keys];
    int[] large = new int[keys];
    int smalls = 0;
    int larges = 0;
    for (int k = keys - 1; k >= 0; k--) {
      scaled[k] *= keys / sum;
      if (scaled[k] < 1) {
        small[smalls++] = k;
      } else {
        large[larges++] = k;
      }
    }
    while (smalls > 0 && larges > 0) {
      int less = small[--smalls];
      int more = large[larges - 1];
      threshold[less] = scaled[less];
      alias[less] = more;
      scaled[more] -= 1 - scaled[less];
      if (scaled[more] < 1) {
        larges--;
        small[smalls++] = more;
      }
    }
    while (larges > 0) {
      threshold[large[--larges]] = 1;
    }
    while (smalls > 0) {
      threshold[small[--smalls]] = 1;
    }
  }

  /** Draws a key, from 0. */
  public int draw(SplittableRandom random) {
    int k = random.nextInt(threshold.length);
    return random.nextDouble() < threshold[k] ? k : alias[k];
  }

  /** Returns which part of all draws the k-th busiest key gets, from 0. */
  public double share(int k) {
    return Math.pow(k + 1.0, -exponent) / weights;
  }
}
