package dev.redline.server.access;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The owners of tokens. The tokens are kept as digests only. Thread-safe. */
final class TokenTable<T> {
  private record Entry<T>(T owner, TokenDigest digest) {}

  private final List<Entry<T>> entries;

  TokenTable(Map<String, T> ownersByToken) {
    this.entries =
        ownersByToken.entrySet().stream()
            .map(owned -> new Entry<>(owned.getValue(), TokenDigest.of(owned.getKey())))
            .toList();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /**
   * Returns the owner of a token. Compares it with all digests in constant time, so that the
   * response time does not depend on how much of a guess is right.
   */
  Optional<T> find(String token) {
    TokenDigest presented = TokenDigest.of(token);
    @Nullable T found = null;
    for (Entry<T> entry : entries) {
      if (entry.digest().matches(presented)) {
        found = entry.owner();
      }
    }
    return Optional.ofNullable(found);
  }
}
