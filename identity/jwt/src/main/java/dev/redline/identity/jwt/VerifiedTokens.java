package dev.redline.identity.jwt;

import dev.redline.core.internal.digest.Sha256;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A cache of tokens that were verified: a client sends its token with every request, and a
 * signature takes up to a third of a millisecond. Tokens are kept as digests, for at most five
 * minutes, and not longer than they are valid. Thread-safe.
 */
final class VerifiedTokens {
  private static final int MAX_TOKENS = 10_000;
  private static final Duration MAX_AGE = Duration.ofMinutes(5);

  private record Entry(String user, Instant until, int keysVersion) {}

  private final Map<ByteBuffer, Entry> entries = new ConcurrentHashMap<>();

  /** Returns the user of a token that was verified with the keys of this version. */
  Optional<String> find(String token, Instant now, int keysVersion) {
    if (entries.isEmpty()) {
      return Optional.empty();
    }
    Entry entry = entries.get(digest(token));
    return entry != null && entry.keysVersion() == keysVersion && now.isBefore(entry.until())
        ? Optional.of(entry.user())
        : Optional.empty();
  }

  void add(String token, String user, Instant now, @Nullable Instant expiry, int keysVersion) {
    if (entries.size() >= MAX_TOKENS) {
      // Rare, and simpler than eviction in order: tokens in use are verified and added again.
      entries.clear();
    }
    Instant until = now.plus(MAX_AGE);
    entries.put(
        digest(token),
        new Entry(user, expiry != null && expiry.isBefore(until) ? expiry : until, keysVersion));
  }

  private static ByteBuffer digest(String token) {
    return ByteBuffer.wrap(Sha256.of(token));
  }
}
