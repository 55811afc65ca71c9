package dev.redline.server.data;

import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.server.settings.ServerSettings;
import java.time.Duration;

/**
 * The settings of the data plane.
 *
 * @param host the address to listen on
 * @param port the port; 0: any that is free
 * @param drainTimeout how long requests in flight may take when the service stops
 * @param http how decisions become HTTP responses
 * @param proxies the peers that may use forward-auth
 * @param apiKeyHeader the header that carries API keys
 * @param inlineLimits whether checks may carry their own limits
 * @param mostRequests how many requests may wait for their body or decision at once
 * @param mostBytes how many bytes of bodies may be buffered for them
 * @param maxConnections how many connections may be open at once
 * @param bodyTimeout how long a request may take to send its body
 */
public record DataPlaneSettings(
    String host,
    int port,
    Duration drainTimeout,
    HttpSettings http,
    TrustedProxies proxies,
    String apiKeyHeader,
    boolean inlineLimits,
    int mostRequests,
    long mostBytes,
    int maxConnections,
    Duration bodyTimeout) {
  private static final int MOST_REQUESTS = 20_000;

  /** Returns what the properties say, and bounds that fit this machine's memory. */
  public static DataPlaneSettings of(ServerSettings settings) {
    return new DataPlaneSettings(
        settings.server().host(),
        settings.server().port(),
        settings.server().drainTimeout(),
        new HttpSettings(
            settings.core().headers().legacy(),
            settings.core().headers().ietf(),
            settings.core().fail().closedStatus()),
        settings.core().identity().trustedProxies().orElse(TrustedProxies.loopback()),
        settings.core().identity().apiKeyHeader(),
        settings.server().inlineLimits(),
        MOST_REQUESTS,
        Runtime.getRuntime().maxMemory() / 8,
        settings.server().maxConnections(),
        settings.server().bodyTimeout());
  }
}
