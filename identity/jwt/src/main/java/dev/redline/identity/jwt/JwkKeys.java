package dev.redline.identity.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a JWK set that verify signatures: RSA keys of at least 2048 bits, and keys of the
 * curves P-256, P-384 and P-521. Others are ignored, secrets and malformed ones among them (RFC
 * 7517, section 5). Immutable.
 */
final class JwkKeys {
  /** No keys. */
  static final JwkKeys NONE = new JwkKeys(List.of(), List.of());

  private static final int MIN_RSA_BITS = 2048;

  /** How many keys are used of a set. */
  private static final int MAX_KEYS = 100;

  /** How many keys are tried for a token that does not name its key. */
  private static final int MAX_CANDIDATES = 8;

  private record Key(@Nullable String id, Set<JWSAlgorithm> algorithms, JWSVerifier verifier) {}

  private final List<Key> keys;
  private final List<Integer> unreadable;

  private JwkKeys(List<Key> keys, List<Integer> unreadable) {
    this.keys = List.copyOf(keys);
    this.unreadable = List.copyOf(unreadable);
  }

  /**
   * Reads a JWK set.
   *
   * @throws ParseException if the text is not a JWK set
   */
  static JwkKeys parse(String json) throws ParseException {
    Map<String, Object> set = JSONObjectUtils.parse(json);
    List<Object> members = set == null ? null : JSONObjectUtils.getJSONArray(set, "keys");
    if (members == null) {
      throw new ParseException("there is no \"keys\"", 0);
    }
    List<Key> keys = new ArrayList<>();
    List<Integer> unreadable = new ArrayList<>();
    for (int i = 0; i < members.size() && keys.size() < MAX_KEYS; i++) {
      try {
        Key key = key(jwk(members.get(i)));
        if (key != null) {
          keys.add(key);
        }
      } catch (ParseException | RuntimeException e) {
        // The message may have key material.
        unreadable.add(i + 1);
      }
    }
    return new JwkKeys(keys, unreadable);
  }

  private static JWK jwk(@Nullable Object member) throws ParseException {
    if (!(member instanceof Map<?, ?> object)) {
      throw new ParseException("not an object", 0);
    }
    Map<String, Object> parameters = new LinkedHashMap<>();
    object.forEach((name, value) -> parameters.put(String.valueOf(name), value));
    return JWK.parse(parameters);
  }

  private static @Nullable Key key(JWK jwk) {
    boolean signs = jwk.getKeyUse() == null || jwk.getKeyUse().equals(KeyUse.SIGNATURE);
    boolean verifies =
        jwk.getKeyOperations() == null || jwk.getKeyOperations().contains(KeyOperation.VERIFY);
    if (!signs || !verifies) {
      return null;
    }
    try {
      JWSVerifier verifier;
      if (jwk instanceof RSAKey rsa && rsa.size() >= MIN_RSA_BITS) {
        verifier = new RSASSAVerifier(rsa.toRSAPublicKey());
      } else if (jwk instanceof ECKey ec) {
        verifier = new ECDSAVerifier(ec.toECPublicKey());
      } else {
        return null;
      }
      Set<JWSAlgorithm> algorithms = verifier.supportedJWSAlgorithms();
      if (jwk.getAlgorithm() != null) {
        algorithms =
            algorithms.contains(JWSAlgorithm.parse(jwk.getAlgorithm().getName()))
                ? Set.of(JWSAlgorithm.parse(jwk.getAlgorithm().getName()))
                : Set.of();
      }
      return new Key(jwk.getKeyID(), Set.copyOf(algorithms), verifier);
    } catch (JOSEException e) {
      // A key on a curve that is not supported.
      return null;
    }
  }

  int size() {
    return keys.size();
  }

  /** Returns the positions of the keys that are malformed or of an unknown kind, from 1. */
  List<Integer> unreadable() {
    return unreadable;
  }

  /** Returns what may verify a token with this header: the key it names, else every key. */
  List<JWSVerifier> verifiers(JWSHeader header) {
    return keys.stream()
        .filter(key -> key.algorithms().contains(header.getAlgorithm()))
        .filter(key -> header.getKeyID() == null || header.getKeyID().equals(key.id()))
        .limit(MAX_CANDIDATES)
        .map(Key::verifier)
        .toList();
  }

  static boolean verifies(
      JWSVerifier verifier, JWSHeader header, byte[] signed, Base64URL signature) {
    try {
      return verifier.verify(header, signed, signature);
    } catch (JOSEException e) {
      return false;
    }
  }
}
