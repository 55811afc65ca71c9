package dev.redline.server.data;

import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.server.data.connection.ConnectionLimits;
import dev.redline.server.settings.ServerSettings;
import dev.redline.server.settings.TlsSettings;
import java.time.Duration;
import java.util.Optional;

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
 * @param maxRequests how many requests may wait for their body or decision at once
 * @param maxBytes how many bytes of bodies may be buffered for them
 * @param connections the limits of connections
 * @param bodyTimeout how long a request may take to send its body
 * @param tls the files for TLS; absent: no TLS
 */
public record DataPlaneSettings(
    String host,
    int port,
    Duration drainTimeout,
    HttpSettings http,
    TrustedProxies proxies,
    String apiKeyHeader,
    boolean inlineLimits,
    int maxRequests,
    long maxBytes,
    ConnectionLimits connections,
    Duration bodyTimeout,
    Optional<TlsSettings> tls) {
  private static final int MAX_REQUESTS = 20_000;
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(90);
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(10);

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
        MAX_REQUESTS,
        Runtime.getRuntime().maxMemory() / 8,
        new ConnectionLimits(
            settings.server().maxConnections(),
            settings.server().headTimeout(),
            IDLE_TIMEOUT,
            WRITE_TIMEOUT),
        settings.server().bodyTimeout(),
        settings.server().tls());
  }
}
