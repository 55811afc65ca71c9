package dev.redline.rules.remote;

import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PluginFactory.PluginContext;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import java.util.Optional;
import java.util.Set;

/**
 * Creates the rule source {@code REMOTE_API} from {@code rl.config.remote.*}. What is not set is as
 * for the server that decides ({@code rl.handler=REMOTE}), if one does.
 */
public final class RemoteSourceFactory implements RuleSourceFactory {
  private static final String URI_NAME = "rl.config.remote.uri";
  private static final String TOKEN_NAME = "rl.config.remote.token";

  @Override
  public String name() {
    return "REMOTE_API";
  }

  @Override
  public Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.WATCH, ReloadStrategy.POLLING);
  }

  @Override
  public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
    Optional<String> uri =
        ServerAddress.readUri(
            properties,
            URI_NAME,
            "the server whose rules source `REMOTE_API` reads; see"
                + " [A Redline server](sources.md#a-redline-server)",
            "with `rl.handler=REMOTE`, `rl.remote.uri`",
            TOKEN_NAME);
    Optional<String> token =
        ServerAddress.readToken(
            properties,
            TOKEN_NAME,
            "a token of role viewer on that server",
            "with `rl.handler=REMOTE`, `rl.remote.token`");
    return context -> new RemoteConfigProvider(address(uri, token, context));
  }

  /** Returns what is set, else that of the server that decides; its token is for it alone. */
  private static ServerAddress address(
      Optional<String> uri, Optional<String> token, PluginContext context) {
    Optional<ServerAddress> deciding = context.find(ServerAddress.class);
    String chosen =
        uri.or(() -> deciding.map(ServerAddress::uri))
            .orElseThrow(
                () -> new IllegalArgumentException("set " + URI_NAME + " to a Redline server"));
    return new ServerAddress(
        chosen,
        token.or(
            () ->
                deciding
                    .filter(server -> server.uri().equals(chosen))
                    .flatMap(ServerAddress::token)));
  }
}
