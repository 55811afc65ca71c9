package dev.redline.identity.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.redline.core.internal.token.JwtSettings;
import dev.redline.core.internal.token.JwtSettings.JwksLocation;
import dev.redline.core.internal.token.JwtSettings.OnInvalid;
import dev.redline.core.internal.token.TokenVerifier;
import dev.redline.core.internal.token.TokenVerifierFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.Optional;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class JwtVerifierTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
  private static final String SECRET = "a secret of more than thirty-two bytes";
  private static final JwksReloading.Timing FAST =
      new JwksReloading.Timing(
          Duration.ofMinutes(5),
          Duration.ofMillis(20),
          Duration.ofMillis(20),
          Duration.ofSeconds(5));

  private static RSAKey rsa;
  private static RSAKey otherRsa;
  private static ECKey ec;

  @TempDir Path directory;

  @BeforeAll
  static void makeKeys() throws Exception {
    rsa = new RSAKeyGenerator(2048).keyID("rsa").generate();
    otherRsa = new RSAKeyGenerator(2048).keyID("rsa").generate();
    ec = new ECKeyGenerator(Curve.P_256).keyID("ec").keyUse(KeyUse.SIGNATURE).generate();
  }

  private static JwtSettings settings(Optional<String> secret, Optional<JwksLocation> jwks) {
    return new JwtSettings(
        secret, jwks, Optional.empty(), Optional.empty(), "sub", OnInvalid.IGNORE);
  }

  private static JwtVerifier hmac() {
    return JwtVerifier.start(settings(Optional.of(SECRET), Optional.empty()), CLOCK, FAST);
  }

  private JwtVerifier file(JWK... keys) throws IOException {
    return JwtVerifier.start(
        settings(Optional.empty(), Optional.of(new JwksLocation.File(write(keys)))), CLOCK, FAST);
  }

  private Path write(JWK... keys) throws IOException {
    return Files.writeString(
        directory.resolve("jwks.json"), new JWKSet(Arrays.asList(keys)).toString(false));
  }

  private static JWTClaimsSet.Builder alice() {
    return new JWTClaimsSet.Builder()
        .subject("alice")
        .expirationTime(Date.from(NOW.plusSeconds(60)));
  }

  private static String sign(
      JWSAlgorithm algorithm, String keyId, JWSSigner signer, JWTClaimsSet claims)
      throws Exception {
    SignedJWT jwt =
        new SignedJWT(
            new JWSHeader.Builder(algorithm).type(JOSEObjectType.JWT).keyID(keyId).build(), claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  private static String hmacToken(JWTClaimsSet claims) throws Exception {
    return sign(JWSAlgorithm.HS256, null, new MACSigner(SECRET), claims);
  }

  @Test
  void wholeNumberIsAUser() throws Exception {
    JwtSettings byNumber =
        new JwtSettings(
            Optional.of(SECRET),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            "uid",
            OnInvalid.IGNORE);
    try (JwtVerifier verifier = JwtVerifier.start(byNumber, CLOCK, FAST)) {
      assertThat(verifier.user(hmacToken(alice().claim("uid", 4711).build()))).hasValue("4711");
      assertThat(verifier.user(hmacToken(alice().claim("uid", 1L << 40).build())))
          .hasValue("1099511627776");
      assertThat(verifier.user(hmacToken(alice().claim("uid", 0.5).build()))).isEmpty();
      assertThat(verifier.user(hmacToken(alice().claim("uid", true).build()))).isEmpty();
    }
  }

  @Test
  void returnsTheSubjectOfValidToken() throws Exception {
    try (JwtVerifier verifier = hmac()) {
      assertThat(verifier.user(hmacToken(alice().build()))).hasValue("alice");
      assertThat(verifier.user(hmacToken(alice().build()))).as("cached").hasValue("alice");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HS384", "HS512"})
  void acceptsEveryHmacAlgorithm(String algorithm) throws Exception {
    String secret = SECRET.repeat(2);
    try (JwtVerifier verifier =
        JwtVerifier.start(settings(Optional.of(secret), Optional.empty()), CLOCK, FAST)) {
      String token =
          sign(JWSAlgorithm.parse(algorithm), null, new MACSigner(secret), alice().build());
      assertThat(verifier.user(token)).hasValue("alice");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
  void acceptsEveryRsaAlgorithm(String algorithm) throws Exception {
    try (JwtVerifier verifier = file(rsa.toPublicJWK())) {
      String token =
          sign(JWSAlgorithm.parse(algorithm), "rsa", new RSASSASigner(rsa), alice().build());
      assertThat(verifier.user(token)).hasValue("alice");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"P-256", "P-384", "P-521"})
  void acceptsEveryCurve(String curve) throws Exception {
    ECKey key = new ECKeyGenerator(Curve.parse(curve)).generate();
    ECDSASigner signer = new ECDSASigner(key);
    try (JwtVerifier verifier = file(rsa.toPublicJWK(), key.toPublicJWK())) {
      String token =
          sign(signer.supportedJWSAlgorithms().iterator().next(), null, signer, alice().build());
      assertThat(verifier.user(token)).hasValue("alice");
    }
  }

  @Test
  void rejectsUnsignedToken() throws Exception {
    String claims =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"sub\":\"alice\"}".getBytes(StandardCharsets.UTF_8));
    String none =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
    try (JwtVerifier hmac = hmac();
        JwtVerifier file = file(rsa.toPublicJWK())) {
      for (JwtVerifier verifier : Set.of(hmac, file)) {
        assertThat(verifier.user(new PlainJWT(alice().build()).serialize())).isEmpty();
        assertThat(verifier.user(none + "." + claims + ".")).isEmpty();
        assertThat(verifier.user(none + "." + claims + ".AAAA")).isEmpty();
        for (String spelling : new String[] {"None", "NONE", "nOnE", ""}) {
          String header =
              Base64.getUrlEncoder()
                  .withoutPadding()
                  .encodeToString(
                      ("{\"alg\":\"" + spelling + "\"}").getBytes(StandardCharsets.UTF_8));
          assertThat(verifier.user(header + "." + claims + ".")).isEmpty();
        }
      }
    }
  }

  @Test
  void rejectsTokenSignedWithAnotherKey() throws Exception {
    try (JwtVerifier hmac = hmac();
        JwtVerifier file = file(rsa.toPublicJWK(), ec.toPublicJWK())) {
      String other = sign(JWSAlgorithm.HS256, null, new MACSigner("x".repeat(32)), alice().build());
      assertThat(hmac.user(other)).isEmpty();
      assertThat(
              file.user(
                  sign(JWSAlgorithm.RS256, "rsa", new RSASSASigner(otherRsa), alice().build())))
          .isEmpty();
      assertThat(file.user(sign(JWSAlgorithm.ES256, "rsa", new ECDSASigner(ec), alice().build())))
          .as("signed with the elliptic curve, names the RSA key")
          .isEmpty();
    }
  }

  @Test
  void doesNotUsePublicKeyAsHmacSecret() throws Exception {
    try (JwtVerifier verifier = file(rsa.toPublicJWK())) {
      byte[] encoded = rsa.toRSAPublicKey().getEncoded();
      String pem =
          "-----BEGIN PUBLIC KEY-----\n"
              + Base64.getMimeEncoder().encodeToString(encoded)
              + "\n-----END PUBLIC KEY-----\n";
      for (byte[] secret : new byte[][] {encoded, pem.getBytes(StandardCharsets.UTF_8)}) {
        assertThat(
                verifier.user(
                    sign(JWSAlgorithm.HS256, "rsa", new MACSigner(secret), alice().build())))
            .isEmpty();
      }
    }
  }

  @Test
  void ignoresSecretsAndWeakKeysOfJwkSet() throws Exception {
    RSAKey weak = new RSAKeyGenerator(1024, true).keyID("weak").generate();
    OctetSequenceKey secret =
        new OctetSequenceKey.Builder(SECRET.getBytes(StandardCharsets.UTF_8)).keyID("s").build();
    RSAKey encrypting = new RSAKey.Builder(rsa).keyUse(KeyUse.ENCRYPTION).build();
    try (JwtVerifier verifier = file(weak, secret, encrypting)) {
      assertThat(
              verifier.user(sign(JWSAlgorithm.HS256, "s", new MACSigner(SECRET), alice().build())))
          .isEmpty();
      assertThat(
              verifier.user(
                  sign(
                      JWSAlgorithm.RS256,
                      "weak",
                      new RSASSASigner(weak.toPrivateKey(), Set.of(AllowWeakRSAKey.getInstance())),
                      alice().build())))
          .isEmpty();
      assertThat(
              verifier.user(
                  sign(JWSAlgorithm.RS256, "rsa", new RSASSASigner(rsa), alice().build())))
          .isEmpty();
    }
  }

  @Test
  void acceptsOnlyTheAlgorithmThatKeyNames() throws Exception {
    RSAKey bound = new RSAKey.Builder(rsa).algorithm(JWSAlgorithm.RS512).build();
    try (JwtVerifier verifier = file(bound.toPublicJWK())) {
      RSASSASigner signer = new RSASSASigner(rsa);
      assertThat(verifier.user(sign(JWSAlgorithm.RS512, "rsa", signer, alice().build())))
          .hasValue("alice");
      assertThat(verifier.user(sign(JWSAlgorithm.RS256, "rsa", signer, alice().build()))).isEmpty();
    }
  }

  @Test
  void rejectsExpiredAndFutureTokens() throws Exception {
    try (JwtVerifier verifier = hmac()) {
      assertThat(verifier.user(hmacToken(alice().expirationTime(Date.from(NOW)).build())))
          .isEmpty();
      assertThat(
              verifier.user(
                  hmacToken(alice().expirationTime(Date.from(NOW.minusSeconds(1))).build())))
          .isEmpty();
      assertThat(
              verifier.user(
                  hmacToken(alice().notBeforeTime(Date.from(NOW.plusSeconds(61))).build())))
          .isEmpty();
      assertThat(
              verifier.user(
                  hmacToken(alice().notBeforeTime(Date.from(NOW.plusSeconds(60))).build())))
          .as("the clock of the issuer may be ahead")
          .hasValue("alice");
    }
  }

  @Test
  void cachedTokenExpires() throws Exception {
    AtomicReference<Instant> now = new AtomicReference<>(NOW);
    Clock moving =
        new Clock() {
          @Override
          public java.time.ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(java.time.ZoneId zone) {
            return this;
          }

          @Override
          public Instant instant() {
            return now.get();
          }
        };
    try (JwtVerifier verifier =
        JwtVerifier.start(settings(Optional.of(SECRET), Optional.empty()), moving, FAST)) {
      String token = hmacToken(alice().build());
      assertThat(verifier.user(token)).hasValue("alice");
      now.set(NOW.plusSeconds(59));
      assertThat(verifier.user(token)).hasValue("alice");
      now.set(NOW.plusSeconds(60));
      assertThat(verifier.user(token)).isEmpty();
    }
  }

  @Test
  void checksIssuerAndAudienceAndReadsTheUserClaim() throws Exception {
    JwtSettings settings =
        new JwtSettings(
            Optional.of(SECRET),
            Optional.empty(),
            Optional.of("https://issuer"),
            Optional.of("api"),
            "email",
            OnInvalid.REJECT);
    try (JwtVerifier verifier = JwtVerifier.start(settings, CLOCK, FAST)) {
      JWTClaimsSet right =
          alice()
              .issuer("https://issuer")
              .audience(Arrays.asList("web", "api"))
              .claim("email", "a@b.c")
              .build();
      assertThat(verifier.user(hmacToken(right))).hasValue("a@b.c");
      for (JWTClaimsSet wrong :
          new JWTClaimsSet[] {
            new JWTClaimsSet.Builder(right).issuer("https://other").build(),
            new JWTClaimsSet.Builder(right).issuer(null).build(),
            new JWTClaimsSet.Builder(right).audience("web").build(),
            new JWTClaimsSet.Builder(right).audience((String) null).build(),
            new JWTClaimsSet.Builder(right).claim("email", null).build(),
            new JWTClaimsSet.Builder(right).claim("email", "").build(),
            new JWTClaimsSet.Builder(right).claim("email", 7.5).build(),
          }) {
        assertThat(verifier.user(hmacToken(wrong))).isEmpty();
      }
    }
  }

  @Test
  void rejectsWhatIsNoTokenAndEveryChangedCharacter() throws Exception {
    try (JwtVerifier verifier = hmac()) {
      for (String text :
          new String[] {"", ".", "..", "a.b.c", "...", "\u0000", "x".repeat(8193), "{}.{}.{}"}) {
        assertThat(verifier.user(text)).isEmpty();
      }
      String token = hmacToken(alice().build());
      for (int i = 0; i < token.length(); i++) {
        // The last character of a part may have unused bits, which are not part of the signature.
        char changed = token.charAt(i) == 'Q' ? 'g' : 'Q';
        String other = token.substring(0, i) + changed + token.substring(i + 1);
        if (i < token.length() - 1) {
          assertThat(verifier.user(other)).as("character %s", i).isEmpty();
        }
      }
      assertThat(verifier.user(hmacToken(alice().claim("x", "y".repeat(8192)).build())))
          .as("too long")
          .isEmpty();
    }
  }

  @Test
  void rejectsCriticalHeaderParameters() throws Exception {
    SignedJWT jwt =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.HS256)
                .criticalParams(Set.of("exp"))
                .customParam("exp", 1)
                .build(),
            alice().build());
    jwt.sign(new MACSigner(SECRET));
    try (JwtVerifier verifier = hmac()) {
      assertThat(verifier.user(jwt.serialize())).isEmpty();
    }
  }

  @Test
  void usesOnlyTheNewKeysOfAChangedFile() throws Exception {
    RSAKey next = new RSAKeyGenerator(2048).keyID("next").generate();
    String oldToken = sign(JWSAlgorithm.RS256, "rsa", new RSASSASigner(rsa), alice().build());
    String newToken = sign(JWSAlgorithm.RS256, "next", new RSASSASigner(next), alice().build());
    try (JwtVerifier verifier = file(rsa.toPublicJWK())) {
      assertThat(verifier.user(oldToken)).hasValue("alice");
      assertThat(verifier.user(newToken)).isEmpty();

      write(next.toPublicJWK());

      await().until(() -> verifier.user(newToken).isPresent());
      assertThat(verifier.user(oldToken)).as("cached").isEmpty();

      Files.writeString(directory.resolve("jwks.json"), "{");
      await().during(Duration.ofMillis(200)).until(() -> verifier.user(newToken).isPresent());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "7",
        "\"key\"",
        "[]",
        "{}",
        "{\"kty\":null}",
        "{\"kty\":\"OKP9\",\"x\":\"AQAB\"}",
        "{\"kty\":\"RSA\",\"e\":\"AQAB\"}",
        "{\"kty\":\"EC\",\"crv\":\"P-999\",\"x\":\"AQAB\",\"y\":\"AQAB\"}",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AQAB\",\"y\":\"AQAB\"}",
        "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"kid\":7}",
        "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"x5c\":[\"nonsense\"]}",
        "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"use\":\"enc\",\"key_ops\":[\"verify\"]}",
      })
  void ignoresKeysThatCannotBeRead(String member) throws Exception {
    String good = rsa.toPublicJWK().toJSONString();
    String set = "{\"keys\":[" + member + "," + good + "," + member + "]}";
    JwkKeys keys = JwkKeys.parse(set);
    assertThat(keys.size()).isEqualTo(1);
    assertThat(keys.unreadable()).containsExactly(1, 3);

    Path file = Files.writeString(directory.resolve("jwks.json"), set);
    try (JwtVerifier verifier =
        JwtVerifier.start(
            settings(Optional.empty(), Optional.of(new JwksLocation.File(file))), CLOCK, FAST)) {
      String token = sign(JWSAlgorithm.RS256, "rsa", new RSASSASigner(rsa), alice().build());
      assertThat(verifier.user(token)).hasValue("alice");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "null", "[]", "{", "{}", "{\"keys\":null}", "{\"keys\":{}}", "{\"keys\":[}"})
  void rejectsWhatIsNoJwkSet(String text) {
    assertThatThrownBy(() -> JwkKeys.parse(text)).isInstanceOf(ParseException.class);
  }

  @Test
  void warnsOnceOfUnreadableKeysWithoutTheirText() throws Exception {
    Queue<String> warnings = new ConcurrentLinkedQueue<>();
    Logger logger = Logger.getLogger(JwksReloading.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord logged) {
            warnings.add(new SimpleFormatter().formatMessage(logged) + logged.getThrown());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    String good = rsa.toPublicJWK().toJSONString();
    String bad = "{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"material\"}";
    RSAKey next = new RSAKeyGenerator(2048).keyID("next").generate();
    String nextToken = sign(JWSAlgorithm.RS256, "next", new RSASSASigner(next), alice().build());
    Path file = directory.resolve("jwks.json");
    Files.writeString(file, "{\"keys\":[" + good + "," + bad + "]}");
    try (JwtVerifier verifier =
        JwtVerifier.start(
            settings(Optional.empty(), Optional.of(new JwksLocation.File(file))), CLOCK, FAST)) {
      assertThat(verifier.user(nextToken)).isEmpty();
      Files.writeString(file, "{\"keys\":[" + next.toPublicJWK().toJSONString() + "," + bad + "]}");
      await().until(() -> verifier.user(nextToken).isPresent());
      assertThat(warnings)
          .singleElement()
          .asString()
          .contains("jwks.json", "a key", "the first is 2")
          .doesNotContain("material");
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void readsJwkSetFromUrlAgainForUnknownKeysButNotForEveryToken() throws Exception {
    AtomicReference<String> set =
        new AtomicReference<>(new JWKSet(rsa.toPublicJWK()).toString(false));
    AtomicInteger requests = new AtomicInteger();
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/keys",
        exchange -> {
          requests.incrementAndGet();
          byte[] body = set.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(
              body.length == 0 ? 500 : 200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    http.start();
    URI uri = URI.create("http://localhost:" + http.getAddress().getPort() + "/keys");
    JwksReloading.Timing timing =
        new JwksReloading.Timing(
            Duration.ofHours(1), Duration.ofMillis(20), Duration.ofHours(1), Duration.ofSeconds(5));
    String token = sign(JWSAlgorithm.RS256, "rsa", new RSASSASigner(rsa), alice().build());
    String ecToken = sign(JWSAlgorithm.ES256, "ec", new ECDSASigner(ec), alice().build());
    try (JwtVerifier verifier =
        JwtVerifier.start(
            settings(Optional.empty(), Optional.of(new JwksLocation.Url(uri))), CLOCK, timing)) {
      assertThat(verifier.user(token)).hasValue("alice");
      assertThat(requests).hasValue(1);

      set.set(new JWKSet(Arrays.asList(rsa.toPublicJWK(), ec.toPublicJWK())).toString(false));
      await().until(() -> verifier.user(ecToken).isPresent());
      set.set("");
      for (int i = 0; i < 100; i++) {
        verifier.user(
            sign(JWSAlgorithm.ES256, "unknown" + i, new ECDSASigner(ec), alice().build()));
      }
      assertThat(requests).as("once at the start, once for an unknown key").hasValue(2);
      assertThat(verifier.user(token)).hasValue("alice");
    } finally {
      http.stop(0);
    }
  }

  @Test
  void startsWhileTheUrlIsDownAndReadsItLater() throws Exception {
    AtomicReference<String> set = new AtomicReference<>("");
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext(
        "/",
        exchange -> {
          byte[] body = set.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(
              body.length == 0 ? 503 : 200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    http.start();
    URI uri = URI.create("http://localhost:" + http.getAddress().getPort());
    String token = sign(JWSAlgorithm.RS256, "rsa", new RSASSASigner(rsa), alice().build());
    try (JwtVerifier verifier =
        JwtVerifier.start(
            settings(Optional.empty(), Optional.of(new JwksLocation.Url(uri))), CLOCK, FAST)) {
      assertThat(verifier.user(token)).isEmpty();
      set.set(new JWKSet(rsa.toPublicJWK()).toString(false));
      await().until(() -> verifier.user(token).isPresent());
      set.set("x".repeat(2 << 20));
      await().during(Duration.ofMillis(100)).until(() -> verifier.user(token).isPresent());
    } finally {
      http.stop(0);
    }
  }

  @Test
  void isFoundByTheServiceLoader() {
    TokenVerifierFactory factory =
        ServiceLoader.load(TokenVerifierFactory.class).findFirst().orElseThrow();

    try (TokenVerifier verifier =
        factory.start(settings(Optional.of("x".repeat(32)), Optional.empty()))) {
      assertThat(verifier).isInstanceOf(JwtVerifier.class);
    }
  }
}
