package dev.redline.server.access;

import dev.redline.core.key.IdentitySettings;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.server.settings.AdminToken;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers by bearer token ({@code Authorization: Bearer …}, RFC 6750), and limits the
 * wrong tokens per client address to {@value #ATTEMPTS} a minute.
 *
 * <p>An address beyond that limit gets 429 until it has waited, even for a valid token: otherwise
 * guessing could go on. A token that was accepted from the address before is exempt, so that a
 * guesser cannot lock out other users behind the same address. Thread-safe; keeps state for at most
 * {@value #MAX_ADDRESSES} addresses.
 */
public final class TokenAuthenticator implements AutoCloseable {
  private static final int MAX_ADDRESSES = 10_000;
  private static final long ATTEMPTS = 20;
  private static final Duration PERIOD = Duration.ofMinutes(1);

  /** The result of an authentication. */
  public sealed interface Authentication permits Accepted, Rejected {}

  /**
   * The token is valid.
   *
   * @param caller its owner
   */
  public record Accepted(Caller caller) implements Authentication {}

  /**
   * The error response to send.
   *
   * @param status the HTTP status
   * @param detail the reason
   * @param headers the header fields
   */
  public record Rejected(int status, String detail, Map<String, String> headers)
      implements Authentication {}

  /** A token that was accepted from an address. */
  private record AcceptedLogin(String address, String tokenName) {}

  private final TokenTable<Caller> callers;
  private final PeerAddresses addresses;
  private final FailedLoginLog log = new FailedLoginLog();
  private final LocalStore attempts;
  private final BucketLimits limits =
      new BucketLimits(
          BucketLimits.OwnerKind.RULE,
          "admin-attempts",
          List.of(RateLimitBand.of(ATTEMPTS, ATTEMPTS, PERIOD)));
  private final Set<AcceptedLogin> acceptedLogins = ConcurrentHashMap.newKeySet();

  /**
   * Creates an authenticator.
   *
   * @param tokens the valid tokens by name
   * @param identity how addresses are grouped, such as IPv6 addresses by prefix
   * @param clock the clock of the limit on wrong tokens
   */
  public TokenAuthenticator(
      Map<String, AdminToken> tokens, IdentitySettings identity, MicrosClock clock) {
    Map<String, Caller> callersByToken = new HashMap<>();
    tokens.forEach(
        (name, token) -> callersByToken.put(token.value(), new Caller(name, token.role())));
    this.callers = new TokenTable<>(callersByToken);
    this.addresses = new PeerAddresses(identity);
    this.attempts = new LocalStore(MAX_ADDRESSES, clock);
  }

  /**
   * Authenticates a request.
   *
   * @param authorization the value of the {@code Authorization} header field, if it was sent
   * @param remote the client's address
   */
  public Authentication authenticate(@Nullable String authorization, @Nullable String remote) {
    Optional<String> token = BearerToken.of(authorization);
    if (token.isEmpty()) {
      return unauthorized("a token is needed: Authorization: Bearer …", "");
    }
    String address = addresses.groupOf(remote);
    RateLimitKey key = new RateLimitKey(limits, address);
    Optional<Caller> caller = callers.find(token.get());
    if (caller.isPresent()
        && acceptedLogins.contains(new AcceptedLogin(address, caller.get().name()))) {
      return new Accepted(caller.get());
    }
    // Only wrong tokens count: for a valid one this is a dry run.
    Outcome outcome = new Outcome();
    attempts.acquireNow(Acquisition.of(key, 1, false, caller.isPresent()), outcome);
    if (!outcome.allowed()) {
      log.record(String.valueOf(remote));
      return tooManyAttempts(limits.band(0).waitMicros(outcome.views(), 0, 1));
    }
    if (caller.isEmpty()) {
      log.record(String.valueOf(remote));
      return unauthorized("the token is not known", ", error=\"invalid_token\"");
    }
    if (acceptedLogins.size() < MAX_ADDRESSES) {
      acceptedLogins.add(new AcceptedLogin(address, caller.get().name()));
    }
    return new Accepted(caller.get());
  }

  private static Authentication unauthorized(String detail, String error) {
    return new Rejected(
        401, detail, Map.of("WWW-Authenticate", "Bearer realm=\"redline\"" + error));
  }

  private static Authentication tooManyAttempts(long waitMicros) {
    long seconds = Math.max(1, (waitMicros + 999_999) / 1_000_000);
    return new Rejected(
        429,
        "too many wrong tokens from this address; wait " + seconds + " s",
        Map.of("Retry-After", Long.toString(seconds)));
  }

  @Override
  public void close() {
    attempts.close();
  }
}
