package dev.redline.server.access;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers in who show a token, and limits how often an address may show a wrong one.
 *
 * <p>An address that showed too many wrong ones is not even listened to until it has waited: a
 * right guess among them gets no answer. Whoever came in from there before may still come with the
 * same token, so that a guesser cannot shut out his neighbours. Thread-safe, and remembers no more
 * than a bounded number of addresses.
 */
public final class TokenAuthenticator implements AutoCloseable {
  private static final int ADDRESSES = 10_000;
  private static final long ATTEMPTS = 20;
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final String SCHEME = "bearer ";

  /**
   * What came of knocking.
   *
   * @param caller who was let in, if somebody was
   * @param status the HTTP status of the refusal
   * @param detail why not, in words
   * @param headers the header fields of the refusal
   */
  public record Answer(
      Optional<Caller> caller, int status, String detail, Map<String, String> headers) {}

  private record Acquaintance(String address, String name) {}

  private final AccessTokens tokens;
  private final IdentityScheme identity;
  private final FailedLoginLog log = new FailedLoginLog();
  private final LocalStore attempts;
  private final BucketLimits limits =
      new BucketLimits(
          BucketLimits.OwnerKind.RULE,
          "admin-attempts",
          List.of(RateLimitBand.of(ATTEMPTS, ATTEMPTS, PERIOD)));
  private final Set<Acquaintance> acquaintances = ConcurrentHashMap.newKeySet();

  /** Creates a gate for some tokens. */
  public TokenAuthenticator(AccessTokens tokens, IdentitySettings identity, MicrosClock clock) {
    this.tokens = tokens;
    this.identity = new IdentityScheme(List.of(KeyField.ip()), List.of(), identity);
    this.attempts = new LocalStore(ADDRESSES, clock);
  }

  /**
   * Lets a caller in, or says why not.
   *
   * @param authorization the header field, if it was sent
   * @param remote the client's address
   */
  public Answer knock(@Nullable String authorization, @Nullable String remote) {
    if (authorization == null || !authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      return unauthorized("a token is needed: Authorization: Bearer …", "");
    }
    String address = address(remote);
    RateLimitKey key = new RateLimitKey(limits, address);
    Optional<Caller> caller = tokens.find(authorization.substring(SCHEME.length()).strip());
    if (caller.isPresent()
        && acquaintances.contains(new Acquaintance(address, caller.get().name()))) {
      return admitted(caller.get());
    }
    Outcome outcome = new Outcome();
    attempts.acquireNow(Acquisition.of(key, 1, false, caller.isPresent()), outcome);
    if (!outcome.allowed()) {
      log.failed(String.valueOf(remote));
      return tooMany(limits.band(0).waitMicros(outcome.views(), 0, 1));
    }
    if (caller.isEmpty()) {
      log.failed(String.valueOf(remote));
      return unauthorized("the token is not known", ", error=\"invalid_token\"");
    }
    if (acquaintances.size() < ADDRESSES) {
      acquaintances.add(new Acquaintance(address, caller.get().name()));
    }
    return admitted(caller.get());
  }

  private static Answer admitted(Caller caller) {
    return new Answer(Optional.of(caller), 200, "", Map.of());
  }

  private static Answer unauthorized(String detail, String error) {
    return new Answer(
        Optional.empty(),
        401,
        detail,
        Map.of("WWW-Authenticate", "Bearer realm=\"redline\"" + error));
  }

  private static Answer tooMany(long waitMicros) {
    long seconds = Math.max(1, (waitMicros + 999_999) / 1_000_000);
    return new Answer(
        Optional.empty(),
        429,
        "too many wrong tokens from this address; wait " + seconds + " s",
        Map.of("Retry-After", Long.toString(seconds)));
  }

  private String address(@Nullable String remote) {
    try {
      return remote == null ? "" : identity.identityOf(List.of(remote));
    } catch (IllegalArgumentException e) {
      return remote == null ? "" : remote;
    }
  }

  @Override
  public void close() {
    attempts.close();
  }
}
