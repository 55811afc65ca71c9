package dev.redline.stores.hazelcast;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition from the entries of several callers, such as one caller and {@code global}, which
 * no entry processor reaches together. First a dry run of each entry, at the same time; if all
 * allow, the acquisition itself, and refunds if one of them denies after all. The denial does not
 * wait for its refunds.
 *
 * <p>Until the refund, others may find the tokens missing. It never allows too much: only what was
 * certainly acquired is refunded.
 */
final class AcrossEntries {
  /** How a part is acquired and refunded. */
  interface Parts {
    /** Returns the generation of each key, as it is known now. */
    long[] generations(Acquisition acquisition);

    /**
     * Acquires from one entry.
     *
     * @param second whether it is the second step
     */
    CompletableFuture<Outcome> acquire(Acquisition part, boolean second);

    /**
     * Refunds what was acquired from one entry, without waiting for the result.
     *
     * @param generations those of the keys, from before they were acquired
     */
    void refund(Acquisition part, long[] generations, Outcome taken);
  }

  private final Acquisition whole;
  private final Parts parts;
  private final List<List<Integer>> members;

  /** From before anything is taken: a bucket that was reset meanwhile must not be refunded. */
  private final long[] generations;

  AcrossEntries(Acquisition whole, Parts parts) {
    this.whole = whole;
    this.parts = parts;
    this.generations = parts.generations(whole);
    Map<String, List<Integer>> byEntry = new LinkedHashMap<>();
    for (int i = 0; i < whole.size(); i++) {
      byEntry
          .computeIfAbsent(CallerEntry.key(whole.key(i).identity()), absent -> new ArrayList<>())
          .add(i);
    }
    this.members = List.copyOf(byEntry.values());
  }

  CompletableFuture<Outcome> acquire() {
    CompletableFuture<List<Outcome>> looked = all(true, false);
    return looked.thenCompose(
        views ->
            whole.dryRun() || !allAllowed(views)
                ? CompletableFuture.completedFuture(merge(views))
                : take());
  }

  private CompletableFuture<Outcome> take() {
    List<CompletableFuture<Outcome>> taken = submit(false, true);
    return CompletableFuture.allOf(taken.toArray(CompletableFuture[]::new))
        .handle(
            (done, failure) -> {
              List<Outcome> outcomes = new ArrayList<>();
              for (CompletableFuture<Outcome> part : taken) {
                outcomes.add(part.isCompletedExceptionally() ? null : part.join());
              }
              return settle(outcomes, failure);
            });
  }

  /** Refunds if a part was denied or failed. */
  private Outcome settle(List<@Nullable Outcome> outcomes, @Nullable Throwable failure) {
    List<Outcome> present = new ArrayList<>();
    boolean allowed = failure == null;
    for (Outcome outcome : outcomes) {
      if (outcome != null) {
        present.add(outcome);
        allowed &= outcome.allowed();
      }
    }
    if (!allowed) {
      for (int p = 0; p < outcomes.size(); p++) {
        Outcome outcome = outcomes.get(p);
        if (outcome != null && outcome.allowed()) {
          List<Integer> keys = members.get(p);
          long[] ofKeys = keys.stream().mapToLong(i -> generations[i]).toArray();
          parts.refund(part(keys, false), ofKeys, outcome);
        }
      }
    }
    if (failure != null) {
      throw failure instanceof CompletionException wrapped
          ? wrapped
          : new CompletionException(failure);
    }
    return merge(present);
  }

  private CompletableFuture<List<Outcome>> all(boolean dryRun, boolean second) {
    List<CompletableFuture<Outcome>> submitted = submit(dryRun, second);
    return CompletableFuture.allOf(submitted.toArray(CompletableFuture[]::new))
        .thenApply(done -> submitted.stream().map(CompletableFuture::join).toList());
  }

  private List<CompletableFuture<Outcome>> submit(boolean dryRun, boolean second) {
    List<CompletableFuture<Outcome>> submitted = new ArrayList<>();
    for (List<Integer> keys : members) {
      submitted.add(parts.acquire(part(keys, dryRun), second));
    }
    return submitted;
  }

  private Acquisition part(List<Integer> keys, boolean dryRun) {
    Acquisition.Builder builder = Acquisition.builder().dryRun(dryRun);
    for (int i : keys) {
      builder.add(whole.key(i), whole.cost(i), whole.shadow(i));
    }
    return builder.build();
  }

  private static boolean allAllowed(List<Outcome> outcomes) {
    return outcomes.stream().allMatch(Outcome::allowed);
  }

  private Outcome merge(List<Outcome> outcomes) {
    Outcome merged = new Outcome();
    merged.reset(whole.bands());
    int[] offsets = new int[whole.size()];
    BandCursor cursor = new BandCursor(whole);
    while (cursor.nextKey()) {
      offsets[cursor.key()] = cursor.view();
    }
    long[] moments = new long[whole.size()];
    long now = 0;
    for (int p = 0; p < outcomes.size(); p++) {
      Outcome part = outcomes.get(p);
      now = Math.max(now, part.nowMicros());
      BandCursor at = new BandCursor(part(members.get(p), true));
      while (at.nextKey()) {
        int i = members.get(p).get(at.key());
        moments[i] = part.nowMicros();
        System.arraycopy(
            part.views(), at.view(), merged.views(), offsets[i], at.bucket().viewWords());
        if (part.passed(at.key())) {
          merged.pass(i);
        }
      }
    }
    merged.decide(allAllowed(outcomes), now);
    merged.lookedAt(moments);
    return merged;
  }
}
