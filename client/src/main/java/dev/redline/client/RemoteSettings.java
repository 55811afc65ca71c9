package dev.redline.client;

import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.spi.PropertyReader;
import java.time.Duration;
import java.util.Optional;

/**
 * Which Redline server decides.
 *
 * @param uri the address of its data plane, {@code http://} or {@code https://}
 * @param token a token of its {@code rl.server.auth.tokens}, if it has any
 * @param timeout how long a decision may take, from when it is requested; at most an hour
 */
public record RemoteSettings(String uri, Optional<String> token, Duration timeout) {
  private static final String URI_NAME = "rl.remote.uri";
  private static final String TOKEN_NAME = "rl.remote.token";
  private static final String TIMEOUT_NAME = "rl.remote.timeout";
  private static final Duration TIMEOUT = Duration.ofMillis(100);
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

  /**
   * Checks address, token and time-out.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public RemoteSettings {
    uri = ServerAddress.checkedUri(uri);
    token.ifPresent(ServerAddress::checkedToken);
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException("timeout must be above 0 and at most 1h, was " + timeout);
    }
  }

  /** Returns the settings of a server without a token, with a time-out of 100 ms. */
  public static RemoteSettings of(String uri) {
    return new RemoteSettings(uri, Optional.empty(), TIMEOUT);
  }

  /** Returns these settings with a token. */
  public RemoteSettings withToken(String value) {
    return new RemoteSettings(uri, Optional.of(value), timeout);
  }

  /** Returns these settings with another time-out. */
  public RemoteSettings withTimeout(Duration value) {
    return new RemoteSettings(uri, token, value);
  }

  /**
   * Reads {@code rl.remote.*}.
   *
   * @param needed whether the address must be set
   * @return empty if the address is not set
   */
  public static Optional<RemoteSettings> read(PropertyReader from, boolean needed) {
    Optional<String> uri =
        ServerAddress.readUri(
            from,
            URI_NAME,
            "the server that decides with `rl.handler=REMOTE`; see [The Java client](client.md)",
            "",
            TOKEN_NAME,
            needed
                ? Optional.of("rl.handler REMOTE needs the address of a Redline server")
                : Optional.empty());
    Optional<String> token =
        ServerAddress.readToken(
            from, TOKEN_NAME, "a token of `rl.server.auth.tokens` of that server", "");
    Duration timeout =
        from.property(TIMEOUT_NAME, "how long a decision of that server may take, at most 1h")
            .duration(TIMEOUT);
    if (timeout.compareTo(MAX_TIMEOUT) > 0) {
      from.problem(TIMEOUT_NAME, timeout.toString(), "use at most 1h");
      timeout = TIMEOUT;
    }
    Duration checked = timeout;
    return uri.map(found -> new RemoteSettings(found, token, checked));
  }

  /** Returns the address and the time-out, without the token. */
  @Override
  public String toString() {
    return "RemoteSettings[" + uri + " " + timeout + "]";
  }
}
