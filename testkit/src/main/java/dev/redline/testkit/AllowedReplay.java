package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Replays what callers were allowed through a bucket, each at its own time, wherever it was
 * decided: by the server, or from tokens that a node had taken ahead. Fails if more was allowed
 * than the limits permit.
 */
public final class AllowedReplay {
  /**
   * What a caller was allowed.
   *
   * @param micros the server's time
   * @param cost the cost
   */
  public record Allowed(long micros, long cost) {}

  private final List<RateLimitBand> bands;

  /** Creates the replay of a bucket with these bands, which is full at first. */
  public AllowedReplay(List<RateLimitBand> bands) {
    this.bands = List.copyOf(bands);
  }

  /**
   * Replays in the order of time.
   *
   * @return how many tokens were allowed in all
   * @throws AssertionError if the bucket would have denied one
   */
  public long check(List<Allowed> all) {
    return check(all, List.of());
  }

  /**
   * Replays in the order of time; the bucket is full again at each restart.
   *
   * @param restarts server times in ascending order
   */
  long check(List<Allowed> all, List<Long> restarts) {
    List<Allowed> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparingLong(Allowed::micros));
    List<ReferenceBand> bucket = full();
    int restart = 0;
    long allowed = 0;
    for (Allowed each : sorted) {
      while (restart < restarts.size() && restarts.get(restart) <= each.micros) {
        restart++;
        bucket = full();
      }
      for (ReferenceBand band : bucket) {
        if (!band.allows(each.micros, each.cost)) {
          throw new AssertionError(
              "cost "
                  + each.cost
                  + " was allowed at "
                  + each.micros
                  + " µs, after "
                  + allowed
                  + " tokens; "
                  + band.band
                  + " has "
                  + band.remaining(each.micros)
                  + " left");
        }
        band.acquire(each.micros, each.cost);
      }
      allowed += each.cost;
    }
    return allowed;
  }

  private List<ReferenceBand> full() {
    return bands.stream().map(ReferenceBand::of).toList();
  }
}
