package dev.redline.server.access;

import dev.redline.core.KeyedLimiter;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.MicrosClock;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How many requests each caller of the data plane may send ({@code rl.server.caller-limit}), if a
 * limit is configured. A caller is known by its token, else by its client certificate, else by its
 * address. The limit is that of this node; its state is in memory, for at most {@value
 * #MAX_CALLERS} callers. Thread-safe.
 */
public final class CallerLimit implements AutoCloseable {
  private static final long MAX_CALLERS = 100_000;

  private final LocalStore store;
  private final @Nullable KeyedLimiter limiter;
  private final PeerAddresses addresses;
  private final LongAdder denied = new LongAdder();

  /**
   * Creates the limit.
   *
   * @param limit such as {@code 1000/s burst 200}; empty: callers are not limited
   * @param identity how addresses are grouped, such as IPv6 addresses by prefix
   */
  public CallerLimit(Optional<String> limit, IdentitySettings identity) {
    this.store = new LocalStore(MAX_CALLERS, MicrosClock.monotonic());
    this.limiter = limit.map(text -> KeyedLimiter.of("callers", text, store)).orElse(null);
    this.addresses = new PeerAddresses(identity);
  }

  /** Returns whether a limit is configured. */
  public boolean isSet() {
    return limiter != null;
  }

  /**
   * Counts a request; returns how many seconds its caller must wait, or 0 if it is allowed.
   *
   * @param tokenName the name of the caller's token, if it sent one
   * @param subject returns the subject of the caller's certificate, if it has one
   * @param remote the caller's address
   */
  public long secondsToWait(
      Optional<String> tokenName, Supplier<Optional<String>> subject, @Nullable String remote) {
    if (limiter == null) {
      return 0;
    }
    String caller =
        tokenName
            .map("token:"::concat)
            .or(() -> subject.get().map("subject:"::concat))
            .orElseGet(() -> "address:" + addresses.groupOf(remote));
    RateLimitResult result = limiter.check(caller);
    if (result.allowed()) {
      return 0;
    }
    denied.increment();
    return Math.max(1, (result.retryAfterMs().orElse(0) + 999) / 1000);
  }

  /** Returns how many requests were denied. */
  public long denied() {
    return denied.sum();
  }

  @Override
  public void close() {
    store.close();
  }
}
