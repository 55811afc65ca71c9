package dev.redline.rules.remote;

import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.spi.PropertyReader;
import java.util.Optional;

/**
 * Which Redline server the rules come from.
 *
 * @param uri the address of its data plane or management port, {@code http://} or {@code https://}
 * @param token a token of role viewer
 */
public record RemoteSourceSettings(String uri, Optional<String> token) {
  static final String URI_NAME = "rl.config.remote.uri";
  private static final String HANDLER_URI = "rl.remote.uri";
  private static final String HANDLER_TOKEN = "rl.remote.token";

  /**
   * Checks the address and the token.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public RemoteSourceSettings {
    uri = ServerAddress.checkedUri(uri);
    token.ifPresent(ServerAddress::checkedToken);
  }

  /** Reads the settings; what is not set is as for the handler {@code REMOTE}. */
  static Optional<RemoteSourceSettings> read(PropertyReader from, boolean chosen) {
    Optional<String> own =
        ServerAddress.readUri(
            from,
            URI_NAME,
            "the server whose rules source `REMOTE_API` reads; see"
                + " [A Redline server](sources.md#a-redline-server)",
            "`rl.remote.uri`",
            "rl.config.remote.token");
    Optional<String> ownToken =
        ServerAddress.readToken(
            from,
            "rl.config.remote.token",
            "a token of role viewer on that server",
            "`rl.remote.token`");
    Optional<String> uri =
        own.or(
            () ->
                ServerAddress.readUri(
                    from,
                    HANDLER_URI,
                    "the server that decides with `rl.handler=REMOTE`",
                    "",
                    HANDLER_TOKEN));
    Optional<String> handlerToken =
        ServerAddress.readToken(
            from, HANDLER_TOKEN, "a token that the server accepts from its callers", "");
    if (uri.isEmpty() && chosen) {
      from.problem(URI_NAME, "", "source REMOTE_API needs the address of a Redline server");
    }
    return uri.map(found -> new RemoteSourceSettings(found, ownToken.or(() -> handlerToken)));
  }

  /** Returns the address, without the token. */
  @Override
  public String toString() {
    return "RemoteSourceSettings[" + uri + "]";
  }
}
