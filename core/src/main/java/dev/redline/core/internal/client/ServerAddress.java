package dev.redline.core.internal.client;

import dev.redline.core.spi.PropertyReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/**
 * How a server is reached.
 *
 * @param uri {@code http://} or {@code https://}, host and port, no path
 * @param token what it knows the caller by; fits a header field
 */
public record ServerAddress(String uri, Optional<String> token) {
  private static final String ALLOWED = "use http:// or https:// and an address";
  private static final int NO_PORT = -1;
  private static final int MAX_PORT = 65_535;

  /**
   * Checks both.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public ServerAddress {
    uri = checkedUri(uri);
    token.ifPresent(ServerAddress::checkedToken);
  }

  /**
   * Returns an address with its scheme in small letters and without a slash at its end.
   *
   * @throws IllegalArgumentException if it is something else; the message does not have the text,
   *     which may hold a password
   */
  public static String checkedUri(String text) {
    URI parsed = parsed(text);
    String scheme = parsed.getScheme() == null ? "" : parsed.getScheme().toLowerCase(Locale.ROOT);
    String authority = parsed.getRawAuthority();
    String path = parsed.getRawPath();
    if (!(scheme.equals("http") || scheme.equals("https"))
        || authority == null
        || parsed.getRawUserInfo() != null
        || parsed.getRawQuery() != null
        || parsed.getRawFragment() != null
        || !(path == null || path.isEmpty() || path.equals("/"))) {
      throw new IllegalArgumentException(ALLOWED);
    }
    if (parsed.getHost() == null) {
      throw new IllegalArgumentException(
          authority.contains("_") && !authority.contains("@")
              ? "use a host name without an underscore, which no URI may have in it"
              : ALLOWED);
    }
    if (authority.endsWith(":")
        || (parsed.getPort() != NO_PORT && (parsed.getPort() < 1 || parsed.getPort() > MAX_PORT))) {
      throw new IllegalArgumentException("use a port from 1 to " + MAX_PORT + ", or none");
    }
    return scheme + "://" + authority;
  }

  @SuppressWarnings("UnusedException") // its message has the text
  private static URI parsed(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(ALLOWED);
    }
  }

  /**
   * Reads a property. A wrong value is not shown, since it may hold a password.
   *
   * @param unlessSet the default as it is shown; empty if there is none
   * @param tokenName the property where a token belongs
   */
  public static Optional<String> readUri(
      PropertyReader from, String name, String text, String unlessSet, String tokenName) {
    return readUri(from, name, text, unlessSet, tokenName, Optional.empty());
  }

  /**
   * Reads a property that may have to be set.
   *
   * @param needed the problem if it is not set
   */
  public static Optional<String> readUri(
      PropertyReader from,
      String name,
      String text,
      String unlessSet,
      String tokenName,
      Optional<String> needed) {
    Optional<String> written = from.property(name, text).unlessSet(unlessSet).text();
    if (written.isEmpty()) {
      needed.ifPresent(problem -> from.problem(name, "", problem));
      return written;
    }
    try {
      return written.map(ServerAddress::checkedUri);
    } catch (IllegalArgumentException e) {
      from.secretProblem(name, e.getMessage() + "; a token goes to " + tokenName);
      return Optional.empty();
    }
  }

  /** Reads a token, a secret. */
  public static Optional<String> readToken(
      PropertyReader from, String name, String text, String unlessSet) {
    Optional<String> token = from.property(name, text).unlessSet(unlessSet).secret();
    if (token.isPresent() && !isToken(token.get())) {
      from.secretProblem(name, "use printable ASCII characters without spaces");
      return Optional.empty();
    }
    return token;
  }

  /**
   * Returns a token.
   *
   * @throws IllegalArgumentException if no header field can hold it
   */
  public static String checkedToken(String token) {
    if (!isToken(token)) {
      throw new IllegalArgumentException(
          "a token must have printable ASCII characters without spaces");
    }
    return token;
  }

  private static boolean isToken(String token) {
    return !token.isEmpty() && token.chars().allMatch(c -> c > ' ' && c < 127);
  }

  /** Returns the address, without the token. */
  @Override
  public String toString() {
    return "ServerAddress[" + uri + "]";
  }
}
