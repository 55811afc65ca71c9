package dev.redline.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.server.settings.AdminToken;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The configured tokens, kept as digests only. */
public final class AccessTokens {
  private static final class Entry {
    private final Caller caller;
    private final byte[] digest;

    Entry(Caller caller, byte[] digest) {
      this.caller = caller;
      this.digest = digest;
    }
  }

  private final List<Entry> entries;

  /** Digests the tokens, which are given by name. */
  public AccessTokens(Map<String, AdminToken> tokens) {
    this.entries =
        tokens.entrySet().stream()
            .map(
                token ->
                    new Entry(
                        new Caller(token.getKey(), token.getValue().role()),
                        digest(token.getValue().value())))
            .toList();
  }

  /**
   * Returns the owner of a token. Compares it with all digests in constant time, so that the
   * response time does not depend on how much of a guess is right.
   */
  Optional<Caller> find(String token) {
    byte[] presented = digest(token);
    @Nullable Caller found = null;
    for (Entry entry : entries) {
      if (MessageDigest.isEqual(entry.digest, presented)) {
        found = entry.caller;
      }
    }
    return Optional.ofNullable(found);
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
