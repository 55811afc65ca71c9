package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Acquires tokens ahead of demand: for keys of which many acquisitions make a trip, and for leased
 * keys whose tokens run low. A request runs in the background; no caller waits for it.
 */
final class LeaseAcquirer implements LeaseRequest.Listener {
  /** The way to Redis. */
  interface Sender {
    /** Sends a request, or fails it. */
    void send(LeaseRequest request);

    /** Returns what makes keys, or null before the first connection. */
    BucketKey.@Nullable Maker keysOrNull();
  }

  /** How long a key that gets no tokens is not looked at again. */
  private static final long PAUSE_NANOS = 20_000_000L;

  private static final long PAUSE_AFTER_FAILURE_NANOS = 250_000_000L;

  private final Map<RateLimitKey, LeasedKey> keys;
  private final LeaseCounts counts;
  private final HotKeys hotKeys = new HotKeys();
  private final AtomicLong lastId = new AtomicLong();
  private final LeaseSize size;
  private final int maxKeys;
  private final long timeoutNanos;
  private final LeaseRules rules;
  private final LeaseLog log;
  private final LeaseEnd end;
  private final Sender sender;
  private final LongSupplier nanoClock;

  LeaseAcquirer(
      Map<RateLimitKey, LeasedKey> keys,
      LeaseCounts counts,
      RedisSettings settings,
      LeaseRules rules,
      LeaseLog log,
      LeaseEnd end,
      LongSupplier nanoClock,
      Sender sender) {
    this.keys = keys;
    this.counts = counts;
    this.size = new LeaseSize(settings.lease().maxShare(), hotKeys);
    this.maxKeys = settings.lease().maxKeys();
    this.timeoutNanos = settings.commandTimeout().toNanos();
    this.rules = rules;
    this.log = log;
    this.end = end;
    this.nanoClock = nanoClock;
    this.sender = sender;
  }

  /** Returns whether buckets of these limits may be leased. */
  boolean mayLease(BucketLimits limits) {
    return size.mayLease(limits);
  }

  /** Counts an acquisition that makes a trip. */
  void count(Acquisition acquisition, long nanos) {
    for (int i = 0; i < acquisition.size() && !acquisition.dryRun(); i++) {
      if (mayLease(acquisition.key(i).limits())) {
        hotKeys.count(acquisition.key(i), acquisition.cost(i), nanos);
      }
    }
  }

  /** Learns from the reply to a trip: leases keys that are busy, and none that are scarce. */
  void learn(PendingAcquisition pending, Outcome outcome, long nanos) {
    Acquisition acquisition = pending.acquisition();
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      RateLimitKey key = acquisition.key(i);
      if (mayLease(key.limits())) {
        if (!outcome.passed(i)) {
          hotKeys.denied(key, nanos);
        }
        if (!(pending instanceof LeaseRequest)) {
          learn(pending, i, outcome, v, nanos);
        }
      }
      v += key.limits().arithmetic().viewWords();
    }
  }

  private void learn(PendingAcquisition pending, int i, Outcome outcome, int v, long nanos) {
    RateLimitKey key = pending.acquisition().key(i);
    long cost = pending.acquisition().cost(i);
    LeasedKey leased = keys.get(key);
    if (leased != null && !leased.isOf(key)) {
      end.end(leased);
      return;
    }
    boolean acquired = outcome.allowed() && outcome.passed(i);
    if (leased != null) {
      long taken = acquired ? cost : 0;
      leased.see(SeenBucket.of(key.limits(), outcome, v, taken, pending.sentNanos()));
    }
    if (acquired) {
      lease(leased, key, outcome.views(), v, cost, nanos);
    }
  }

  private void lease(
      @Nullable LeasedKey known, RateLimitKey key, long[] views, int v, long cost, long nanos) {
    LeasedKey leased = known;
    long held = leased == null ? 0 : leased.usable(nanos);
    long tokens = size.ofFirst(key, views, v, cost, nanos, held);
    if (tokens == 0 || (leased == null && keys.size() >= maxKeys)) {
      return;
    }
    if (leased == null) {
      leased = keys.computeIfAbsent(key, absent -> new LeasedKey(absent, nanos));
    }
    if (leased.tryRequest(nanos)) {
      request(leased, tokens, nanos);
    }
  }

  /** Acquires more if the newest tokens are half spent. */
  void renewIfLow(LeasedKey leased, long cost, long nanos) {
    LeaseBlock newest = leased.newer();
    if (newest != null && newest.unspent() < newest.tokens() / 2) {
      renew(leased, cost, nanos);
    }
  }

  /** Acquires more, unless that is under way or was of no use a moment ago. */
  void renew(LeasedKey leased, long cost, long nanos) {
    if (leased.tryRequest(nanos)) {
      request(leased, size.ofRenewal(leased, cost, nanos), nanos);
    }
  }

  /** Sends a request; the caller has the right to, by {@link LeasedKey#tryRequest}. */
  private void request(LeasedKey leased, long tokens, long nanos) {
    BucketKey.Maker maker = sender.keysOrNull();
    if (tokens == 0 || maker == null || end.isClosed()) {
      leased.endRequest(nanos + PAUSE_NANOS);
      return;
    }
    LeaseRequest request =
        LeaseRequest.of(
            lastId.incrementAndGet(), leased, tokens, maker, nanos + timeoutNanos, rules, this);
    log.requested(request);
    sender.send(request);
  }

  @Override
  public void granted(LeaseRequest request, Outcome outcome) {
    long now = nanoClock.getAsLong();
    log.replied(request, outcome);
    LeasedKey leased = request.leasedKey();
    if (request.passed() < request.runLength()) {
      hotKeys.denied(leased.key(), now);
    }
    if (request.tokens() > 0) {
      add(request, outcome, now);
    }
    leased.endRequest(now);
  }

  private void add(LeaseRequest request, Outcome outcome, long now) {
    LeasedKey leased = request.leasedKey();
    counts.acquire(request.tokens());
    LeaseBlock block =
        new LeaseBlock(
            request.id(),
            leased.key(),
            request.tokens(),
            outcome,
            rules.clockStart(request.sentNanos(), now),
            request.generation(0),
            rules);
    LeaseBlock replaced = leased.add(block);
    if (replaced != null) {
      end.drop(replaced);
    }
    end.dropIfOver(block, request.sentNanos());
  }

  @Override
  public void failed(LeaseRequest request) {
    log.failed(request);
    request.leasedKey().endRequest(nanoClock.getAsLong() + PAUSE_AFTER_FAILURE_NANOS);
  }
}
