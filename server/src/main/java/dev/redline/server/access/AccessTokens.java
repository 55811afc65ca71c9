package dev.redline.server.access;

import dev.redline.server.settings.AdminToken;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The configured tokens, kept as digests only. */
public final class AccessTokens {
  private record Entry(Caller caller, TokenDigest digest) {}

  private final List<Entry> entries;

  /** Digests the tokens, which are given by name. */
  public AccessTokens(Map<String, AdminToken> tokens) {
    this.entries =
        tokens.entrySet().stream()
            .map(
                token ->
                    new Entry(
                        new Caller(token.getKey(), token.getValue().role()),
                        TokenDigest.of(token.getValue().value())))
            .toList();
  }

  /**
   * Returns the owner of a token. Compares it with all digests in constant time, so that the
   * response time does not depend on how much of a guess is right.
   */
  Optional<Caller> find(String token) {
    TokenDigest presented = TokenDigest.of(token);
    @Nullable Caller found = null;
    for (Entry entry : entries) {
      if (entry.digest().matches(presented)) {
        found = entry.caller();
      }
    }
    return Optional.ofNullable(found);
  }
}
