package dev.redline.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.settings.Settings.AdminToken;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tokens that are let in, kept as digests only. */
public final class AccessTokens {
  private static final class Known {
    private final Caller caller;
    private final byte[] digest;

    Known(Caller caller, byte[] digest) {
      this.caller = caller;
      this.digest = digest;
    }
  }

  private final List<Known> known;

  /** Takes tokens by name. */
  public AccessTokens(Map<String, AdminToken> tokens) {
    this.known =
        tokens.entrySet().stream()
            .map(
                token ->
                    new Known(
                        new Caller(token.getKey(), token.getValue().role()),
                        digest(token.getValue().value())))
            .toList();
  }

  /** Returns whose token it is. Takes the same time whichever it is and however much is right. */
  Optional<Caller> find(String token) {
    byte[] presented = digest(token);
    @Nullable Caller found = null;
    for (Known one : known) {
      if (MessageDigest.isEqual(one.digest, presented)) {
        found = one.caller;
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
