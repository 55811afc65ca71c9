package dev.redline.identity.jwt;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.redline.core.internal.token.JwtSettings;
import dev.redline.core.internal.token.TokenVerifier;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verifies JSON Web Tokens.
 *
 * <p>The algorithm is bound to the type of the key: a token signed with HMAC is verified with the
 * configured secret only, and one signed with RSA or an elliptic curve with a public key of that
 * type only. So {@code alg: none} is never accepted, nor a public key used as an HMAC secret.
 *
 * <p>Never blocks: a JWK set is read by a thread of its own, and the last good one stays in force.
 * Thread-safe.
 */
public final class JwtVerifier implements TokenVerifier {
  /** A longer token is not valid. */
  public static final int MAX_TOKEN_LENGTH = 8192;

  private static final Logger LOG = System.getLogger(JwtVerifier.class.getName());
  private static final int ADVISED_SECRET_BYTES = 32;

  /** How far the clock of an issuer may be ahead of this one. */
  private static final Duration MAX_CLOCK_SKEW = Duration.ofSeconds(60);

  private final JwtSettings settings;
  private final Clock clock;
  private final @Nullable HmacKey hmac;
  private final @Nullable JwksReloading jwks;
  private final VerifiedTokens verified = new VerifiedTokens();

  private JwtVerifier(
      JwtSettings settings, @Nullable HmacKey hmac, @Nullable JwksReloading jwks, Clock clock) {
    this.settings = settings;
    this.hmac = hmac;
    this.jwks = jwks;
    this.clock = clock;
  }

  /** Starts a verifier; a JWK set that cannot be read yet is read later. */
  public static JwtVerifier start(JwtSettings settings) {
    return start(settings, Clock.systemUTC(), JwksReloading.Timing.STANDARD);
  }

  static JwtVerifier start(JwtSettings settings, Clock clock, JwksReloading.Timing timing) {
    HmacKey hmac = null;
    if (settings.hmacSecret().isPresent()) {
      byte[] secret = settings.hmacSecret().get().getBytes(StandardCharsets.UTF_8);
      if (secret.length < ADVISED_SECRET_BYTES) {
        LOG.log(
            Level.WARNING,
            "rl.identity.jwt.hmac-secret has fewer than {0} bytes and may be guessed",
            Integer.toString(ADVISED_SECRET_BYTES));
      }
      hmac = new HmacKey(secret);
    }
    JwksReloading jwks =
        settings.jwks().map(location -> JwksReloading.start(location, timing)).orElse(null);
    return new JwtVerifier(settings, hmac, jwks, clock);
  }

  @Override
  public JwtSettings.OnInvalid onInvalid() {
    return settings.onInvalid();
  }

  @Override
  public Optional<String> user(String token) {
    if (token.isEmpty() || token.length() > MAX_TOKEN_LENGTH) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    int keysVersion = jwks == null ? 0 : jwks.version();
    Optional<String> known = verified.find(token, now, keysVersion);
    return known.isPresent() ? known : verify(token, now, keysVersion);
  }

  private Optional<String> verify(String token, Instant now, int keysVersion) {
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      if (!isSignatureValid(jwt)) {
        return Optional.empty();
      }
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      if (!isFor(claims, now)) {
        return Optional.empty();
      }
      Optional<String> user = user(claims.getClaim(settings.userClaim()));
      user.ifPresent(text -> verified.add(token, text, now, expiry(claims), keysVersion));
      return user;
    } catch (ParseException | RuntimeException e) {
      // The exception is not logged: its message may contain parts of the token.
      return Optional.empty();
    }
  }

  /** Returns the user: a text, or a whole number such as the key of a row. */
  private static Optional<String> user(@Nullable Object claim) {
    if (claim instanceof Long || claim instanceof Integer || claim instanceof BigInteger) {
      return Optional.of(claim.toString());
    }
    return claim instanceof String text && !text.isEmpty() ? Optional.of(text) : Optional.empty();
  }

  private boolean isSignatureValid(SignedJWT jwt) {
    JWSHeader header = jwt.getHeader();
    byte[] signed = jwt.getSigningInput();
    if (HmacKey.ALGORITHMS.contains(header.getAlgorithm())) {
      return hmac != null && hmac.verifies(header, signed, jwt.getSignature());
    }
    if (jwks == null) {
      return false;
    }
    List<JWSVerifier> candidates = jwks.keys().verifiers(header);
    if (candidates.isEmpty()) {
      jwks.reloadSoon();
    }
    return candidates.stream()
        .anyMatch(candidate -> JwkKeys.verifies(candidate, header, signed, jwt.getSignature()));
  }

  private boolean isFor(JWTClaimsSet claims, Instant now) {
    Instant expiry = expiry(claims);
    Date notBefore = claims.getNotBeforeTime();
    return (expiry == null || now.isBefore(expiry))
        && (notBefore == null || !notBefore.toInstant().isAfter(now.plus(MAX_CLOCK_SKEW)))
        && settings.issuer().map(issuer -> issuer.equals(claims.getIssuer())).orElse(true)
        && settings.audience().map(name -> claims.getAudience().contains(name)).orElse(true);
  }

  private static @Nullable Instant expiry(JWTClaimsSet claims) {
    Date expiry = claims.getExpirationTime();
    return expiry == null ? null : expiry.toInstant();
  }

  @Override
  public void close() {
    if (jwks != null) {
      jwks.close();
    }
  }
}
