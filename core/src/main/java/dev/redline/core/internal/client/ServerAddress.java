package dev.redline.core.internal.client;

import dev.redline.core.spi.PropertyReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * How a server is reached.
 *
 * @param uri {@code http://} or {@code https://}, host and port, no path
 * @param token what it knows the caller by; fits a header field
 */
public record ServerAddress(String uri, Optional<String> token) {
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
   * Returns an address without a slash at its end.
   *
   * @throws IllegalArgumentException if it is something else; the message does not have the text,
   *     which may hold a password
   */
  public static String checkedUri(String text) {
    URI parsed = parsed(text);
    boolean http = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
    String path = parsed.getRawPath();
    if (!http
        || parsed.getHost() == null
        || parsed.getRawUserInfo() != null
        || parsed.getRawQuery() != null
        || parsed.getRawFragment() != null
        || !(path == null || path.isEmpty() || path.equals("/"))) {
      throw notAnAddress();
    }
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  @SuppressWarnings("UnusedException") // its message has the text
  private static URI parsed(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw notAnAddress();
    }
  }

  private static IllegalArgumentException notAnAddress() {
    return new IllegalArgumentException("use http:// or https:// and an address");
  }

  /**
   * Reads a property. A wrong value is not shown, since it may hold a password.
   *
   * @param unlessSet the default as it is shown; empty if there is none
   * @param tokenName the property where a token belongs
   */
  public static Optional<String> readUri(
      PropertyReader from, String name, String text, String unlessSet, String tokenName) {
    Optional<String> written = from.property(name, text).unlessSet(unlessSet).text();
    try {
      return written.map(ServerAddress::checkedUri);
    } catch (IllegalArgumentException e) {
      from.secretProblem(
          name, "use http:// or https:// and an address; a token goes to " + tokenName);
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
