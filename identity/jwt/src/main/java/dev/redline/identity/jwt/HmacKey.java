package dev.redline.identity.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.util.Base64URL;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The secret of tokens that are signed with HMAC (RFC 7518, 3.2). Thread-safe. */
final class HmacKey {
  /** The algorithms of such tokens. */
  static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(JWSAlgorithm.HS256, JWSAlgorithm.HS384, JWSAlgorithm.HS512);

  private final byte[] secret;

  HmacKey(byte[] secret) {
    this.secret = secret.clone();
  }

  boolean verifies(JWSHeader header, byte[] signed, Base64URL signature) {
    if (header.getCriticalParams() != null && !header.getCriticalParams().isEmpty()) {
      // No extension of the header is understood, so a critical one makes the token invalid.
      return false;
    }
    String algorithm = "HmacSHA" + header.getAlgorithm().getName().substring("HS".length());
    try {
      Mac mac = Mac.getInstance(algorithm);
      mac.init(new SecretKeySpec(secret, algorithm));
      return MessageDigest.isEqual(mac.doFinal(signed), signature.decode());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has " + algorithm, e);
    }
  }
}
