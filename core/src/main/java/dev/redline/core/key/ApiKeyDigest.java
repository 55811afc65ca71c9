package dev.redline.core.key;

import dev.redline.core.internal.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The digest that replaces API keys in store keys, logs and results: HMAC-SHA-256 under a secret,
 * or SHA-256 without one, in lower-case hex.
 *
 * <p>Thread-safe. Nodes that share a store must share the secret.
 */
public final class ApiKeyDigest {
  private final @Nullable SecretKeySpec secret;

  private ApiKeyDigest(@Nullable SecretKeySpec secret) {
    this.secret = secret;
  }

  /** Returns the digest without a secret: plain SHA-256. */
  public static ApiKeyDigest unkeyed() {
    return new ApiKeyDigest(null);
  }

  /** Returns the digest under the given secret: HMAC-SHA-256. */
  public static ApiKeyDigest keyed(String secret) {
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("the digest secret must not be empty");
    }
    return new ApiKeyDigest(
        new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
  }

  /** Returns the digest under a random secret of this process, for logs. */
  public static ApiKeyDigest ofProcess() {
    return ProcessSecret.DIGEST;
  }

  /** Made when it is first needed: a source of random bytes may be slow at the start. */
  private static final class ProcessSecret {
    private static final ApiKeyDigest DIGEST = new ApiKeyDigest(random());

    private static SecretKeySpec random() {
      byte[] secret = new byte[32];
      new SecureRandom().nextBytes(secret);
      return new SecretKeySpec(secret, "HmacSHA256");
    }
  }

  /** Returns whether there is a secret. */
  public boolean isKeyed() {
    return secret != null;
  }

  /** Returns the 64 hex digits of the key's digest. */
  public String of(String apiKey) {
    if (secret == null) {
      return Sha256.hex(apiKey);
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(secret);
      return HexFormat.of().formatHex(mac.doFinal(apiKey.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has HMAC-SHA-256", e);
    }
  }
}
