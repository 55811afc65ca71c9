package dev.redline.testkit;

import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges a {@link History}: whether the answers that several nodes got from one shared store are
 * those of exact buckets.
 *
 * <p>The looks at each bucket are put into the order of the server: by its clock, and within one
 * moment by what was seen, since taking only ever adds. Then they are replayed through the {@link
 * ReferenceModel}'s bands:
 *
 * <ul>
 *   <li>Verdict and state seen must be exactly the replayed bucket's; it never owes more than its
 *       capacity.
 *   <li>A dry run leaves the bucket as it is, even one that a clock which steps back has left owing
 *       more than it can.
 *   <li>Nodes with different limits may share a bucket whose limits {@linkplain
 *       dev.redline.core.limit.BucketLimits#carriedOver carry over}: what the larger ones took is
 *       still owed under the smaller ones. Only while every acquisition is answered.
 *   <li>An acquisition that failed may have taken, once, at any time after it was asked for. The
 *       state seen next tells.
 *   <li>What was taken and then refused in another slot may be given back once: no more of it than
 *       is still owed at that time.
 *   <li>A refusal from memory must be one that the replayed bucket would have given; after
 *       something was given back or forgotten, one that it would have given a second ago.
 *   <li>State may be lost once per {@link History#forgetting}, buckets are fresh once per {@link
 *       History#resetting}, and not otherwise.
 *   <li>Whoever is answered before another one asks comes first; and of two acquisitions that a
 *       node sends in one call, the one that was asked for first.
 * </ul>
 *
 * <p>For stores that read one clock and decide in one step, as a script in Redis does. A server
 * that takes over from another must not have a clock that is behind the other's.
 */
public final class HistoryChecker {
  private HistoryChecker() {}

  /**
   * What a history contained that passed.
   *
   * @param buckets how many buckets were looked at
   * @param looks how often the server looked at one
   * @param taken how many looks took
   * @param recalled how many refusals came from memory
   * @param unknown how many takes failed with unknown outcome
   * @param unknownTaken how many of those are known to have taken
   * @param givenBack how many takes were refused in another slot
   * @param forgotten how many buckets lost state
   */
  public record Report(
      long buckets,
      long looks,
      long taken,
      long recalled,
      long unknown,
      long unknownTaken,
      long givenBack,
      long forgotten) {
    private Report plus(Report other) {
      return new Report(
          buckets + other.buckets,
          looks + other.looks,
          taken + other.taken,
          recalled + other.recalled,
          unknown + other.unknown,
          unknownTaken + other.unknownTaken,
          givenBack + other.givenBack,
          forgotten + other.forgotten);
    }
  }

  /**
   * Checks a history whose acquisitions are all over; one that is not counts as unknown.
   *
   * @return what was in it
   * @throws AssertionError if an answer is wrong; names the bucket, the place in its history, what
   *     was expected and what was seen
   */
  public static Report check(History history) {
    Map<RateLimitKey, List<Observation>> looks = new HashMap<>();
    for (History.Call call : history.calls()) {
      for (Observation look : Observation.of(history, call)) {
        looks.computeIfAbsent(look.key(), key -> new ArrayList<>()).add(look);
      }
    }
    Report total = new Report(0, 0, 0, 0, 0, 0, 0, 0);
    for (Map.Entry<RateLimitKey, List<Observation>> entry : looks.entrySet()) {
      total = total.plus(new BucketReplay(history, entry.getKey(), entry.getValue()).run());
    }
    return total;
  }
}
