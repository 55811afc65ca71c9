package dev.redline.stores.redis;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * An acquisition whose keys lie in several slots of a cluster, where no script reaches them all:
 * taken slot by slot at the same time, and refunded where another slot denies. The denial does not
 * wait for its refunds.
 *
 * <p>Until the refund, others may find the taken tokens missing: at most the cost of the
 * acquisitions and refunds under way, each for at most the command time-out. It never allows too
 * much: only what was certainly taken is refunded, and no more of it than is still owed.
 */
final class CrossSlot {
  private final BiFunction<PendingAcquisition, Integer, PendingAcquisition> submit;
  private final BiConsumer<PendingAcquisition, Outcome> refund;
  private final BiConsumer<Acquisition, Outcome> finish;
  private final PendingAcquisition whole;
  private final Acquisition acquisition;
  private final Map<Integer, List<Integer>> keysByLane = new TreeMap<>();

  /**
   * Creates it.
   *
   * @param submit submits the part of a lane
   * @param refund refunds a part
   * @param finish completes the outcome of the whole
   */
  CrossSlot(
      BiFunction<PendingAcquisition, Integer, PendingAcquisition> submit,
      BiConsumer<PendingAcquisition, Outcome> refund,
      BiConsumer<Acquisition, Outcome> finish,
      PendingAcquisition whole) {
    this.submit = submit;
    this.refund = refund;
    this.finish = finish;
    this.whole = whole;
    this.acquisition = whole.acquisition();
    for (int i = 0; i < acquisition.size(); i++) {
      keysByLane.computeIfAbsent(whole.key(i).lane(), absent -> new ArrayList<>()).add(i);
    }
  }

  /** Submits the part of each slot; returns the whole, which completes after all of them. */
  CompletableFuture<Outcome> take() {
    List<PendingAcquisition> parts = new ArrayList<>();
    keysByLane.forEach((lane, members) -> parts.add(submit.apply(whole.part(members), lane)));
    AtomicInteger missing = new AtomicInteger(parts.size());
    for (PendingAcquisition part : parts) {
      part.onCompletion(
          () -> {
            if (missing.decrementAndGet() == 0) {
              try {
                settle(parts, whole);
              } catch (RuntimeException e) {
                // An exception in a callback is lost, and the whole would never complete.
                whole.completeExceptionally(e);
              }
            }
          });
    }
    return whole;
  }

  private void settle(List<PendingAcquisition> parts, CompletableFuture<Outcome> result) {
    boolean allowed = parts.stream().allMatch(CrossSlot::taken);
    if (!allowed && !acquisition.dryRun()) {
      for (PendingAcquisition part : parts) {
        if (taken(part)) {
          refund.accept(part, part.join());
        }
      }
    }
    answer(parts, allowed, result);
  }

  private void answer(
      List<PendingAcquisition> parts, boolean allowed, CompletableFuture<Outcome> result) {
    for (PendingAcquisition part : parts) {
      if (part.isCompletedExceptionally()) {
        result.completeExceptionally(part.failure());
        return;
      }
    }
    Outcome outcome = merge(parts, allowed);
    finish.accept(acquisition, outcome);
    result.complete(outcome);
  }

  /** Returns whether a part was certainly taken. */
  private static boolean taken(PendingAcquisition part) {
    return !part.isCompletedExceptionally() && part.join().allowed();
  }

  private Outcome merge(List<PendingAcquisition> parts, boolean allowed) {
    Outcome merged = new Outcome();
    merged.reset(acquisition.bands());
    int[] offsets = new int[acquisition.size()];
    BandCursor whole = new BandCursor(acquisition);
    while (whole.nextKey()) {
      offsets[whole.key()] = whole.view();
    }
    long[] moments = new long[acquisition.size()];
    long now = 0;
    int p = 0;
    for (List<Integer> members : keysByLane.values()) {
      PendingAcquisition asked = parts.get(p++);
      Outcome part = asked.join();
      now = Math.max(now, part.nowMicros());
      BandCursor at = new BandCursor(asked.acquisition());
      while (at.nextKey()) {
        int member = members.get(at.key());
        moments[member] = part.nowMicros();
        System.arraycopy(
            part.views(), at.view(), merged.views(), offsets[member], at.bucket().viewWords());
        if (part.passed(at.key())) {
          merged.pass(member);
        }
      }
    }
    merged.decide(allowed, now);
    merged.lookedAt(moments);
    return merged;
  }
}
