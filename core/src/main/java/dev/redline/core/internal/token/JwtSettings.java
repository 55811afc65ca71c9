package dev.redline.core.internal.token;

import dev.redline.core.spi.PropertyReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which tokens are valid, and which claim names the user.
 *
 * @param hmacSecret the secret of tokens signed with HS256, HS384 or HS512
 * @param jwks where the public keys of other tokens are: a JWK set (RFC 7517)
 * @param issuer the required {@code iss}
 * @param audience the required member of {@code aud}
 * @param userClaim the claim that names the user
 * @param onInvalid what happens to a request whose token is not valid
 */
public record JwtSettings(
    Optional<String> hmacSecret,
    Optional<JwksLocation> jwks,
    Optional<String> issuer,
    Optional<String> audience,
    String userClaim,
    OnInvalid onInvalid) {
  private static final String PREFIX = "rl.identity.jwt.";

  /** What happens to a request whose token is not valid. */
  public enum OnInvalid {
    /** The request has no user. */
    IGNORE,
    /** The request is denied. */
    REJECT
  }

  /** Where a JWK set is. */
  public sealed interface JwksLocation {
    /** What URLs begin with, and no path. */
    Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]*://");

    /** A file on this machine. */
    record File(Path path) implements JwksLocation {}

    /** A URL of scheme {@code https} or {@code http}. */
    record Url(URI uri) implements JwksLocation {}

    /**
     * Reads a URL or the path of a file.
     *
     * @throws IllegalArgumentException if it is neither
     */
    static JwksLocation parse(String text) {
      String lower = text.toLowerCase(Locale.ROOT);
      if (lower.startsWith("https://") || lower.startsWith("http://")) {
        URI uri = URI.create(text);
        if (uri.getHost() == null) {
          throw new IllegalArgumentException("the URL has no host");
        }
        return new Url(uri);
      }
      if (!lower.startsWith("file:") && SCHEME.matcher(lower).lookingAt()) {
        throw new IllegalArgumentException("the scheme is not https, http or file");
      }
      return new File(lower.startsWith("file:") ? Path.of(URI.create(text)) : Path.of(text));
    }
  }

  /** Reads the properties {@code rl.identity.jwt.*}; empty if no key is configured. */
  public static Optional<JwtSettings> read(PropertyReader from) {
    Optional<String> secret =
        from.property(
                PREFIX + "hmac-secret",
                "verifies JWTs signed with HS256, HS384 or HS512; at least 32 bytes are advised")
            .secret();
    Optional<JwksLocation> jwks =
        from.property(
                PREFIX + "jwks",
                "JWK set that verifies JWTs signed with RS…, PS… or ES…: a file or an `https` URL,"
                    + " read again when it changes")
            .parsed("use a file or an https URL", JwksLocation::parse);
    JwtSettings settings =
        new JwtSettings(
            secret,
            jwks,
            from.property(PREFIX + "issuer", "the `iss` that JWTs must have").text(),
            from.property(PREFIX + "audience", "the `aud` that JWTs must have").text(),
            from.property(PREFIX + "user-claim", "the claim of a JWT that is the user").text("sub"),
            from.property(
                    PREFIX + "on-invalid",
                    "what happens to a request whose JWT is not valid: it has no user, or `REJECT`"
                        + " denies it (403, `MISSING_IDENTITY`)")
                .choice(OnInvalid.class, OnInvalid.IGNORE));
    if (secret.isPresent() || jwks.isPresent()) {
      return Optional.of(settings);
    }
    String set = settings.firstSetWithoutKey();
    if (set != null) {
      from.problem(PREFIX + set, "", "set " + PREFIX + "hmac-secret or " + PREFIX + "jwks, too");
    }
    return Optional.empty();
  }

  private @Nullable String firstSetWithoutKey() {
    if (issuer.isPresent()) {
      return "issuer";
    }
    if (audience.isPresent()) {
      return "audience";
    }
    return onInvalid == OnInvalid.REJECT ? "on-invalid" : null;
  }

  /** Contains no secret. */
  @Override
  public String toString() {
    return "JwtSettings[" + jwks + ", " + onInvalid + "]";
  }
}
