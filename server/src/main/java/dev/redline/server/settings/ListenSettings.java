package dev.redline.server.settings;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.spi.PropertyReader;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How the service listens.
 *
 * @param host the address of the data plane
 * @param port the port of the data plane; 0 for any free one
 * @param managementHost the address of the management port
 * @param managementPort the management port; 0 for any free one
 * @param drainTimeout how long open requests are answered after SIGTERM
 * @param inlineLimits whether a check may bring its own limits
 * @param maxConnections how many connections are held at once, on each port
 * @param headTimeout how long a request may take to send its head
 * @param bodyTimeout how long a request may take to send its body
 * @param tls the files for TLS on the data plane; absent: no TLS
 * @param callerLimit how many requests each caller of the data plane may send; absent: any number
 * @param callerTokens the tokens of callers of the data plane, by name; empty: none is needed
 */
public record ListenSettings(
    String host,
    int port,
    String managementHost,
    int managementPort,
    Duration drainTimeout,
    boolean inlineLimits,
    int maxConnections,
    Duration headTimeout,
    Duration bodyTimeout,
    Optional<TlsSettings> tls,
    Optional<String> callerLimit,
    Map<String, String> callerTokens) {
  private static final int LAST_PORT = 65_535;

  /** Copies the map. */
  public ListenSettings {
    callerTokens = Map.copyOf(callerTokens);
  }

  static ListenSettings read(PropertyReader from) {
    return new ListenSettings(
        from.property("rl.server.host", "address of the data plane").text("0.0.0.0"),
        from.property("rl.server.port", "port of the data plane").integer(8080, 0, LAST_PORT),
        from.property("rl.server.management-host", "address of health, metrics and the admin API")
            .text("127.0.0.1"),
        from.property("rl.server.management-port", "port of health, metrics and the admin API")
            .integer(9090, 0, LAST_PORT),
        from.property(
                "rl.server.drain-timeout", "how long open requests are answered after SIGTERM")
            .duration(Duration.ofSeconds(20)),
        from.property("rl.server.inline-limits", "whether a check may bring its own limits")
            .bool(false),
        from.property(
                "rl.server.max-connections",
                "connections held at once, on each port; on the data port further ones are closed,"
                    + " on the management port they wait")
            .integer(20_000, 1, 1_000_000),
        from.property(
                "rl.server.head-timeout", "how long a request may take to send its head, then 408")
            .duration(Duration.ofSeconds(10)),
        from.property(
                "rl.server.body-timeout", "how long a request may take to send its body, then 408")
            .duration(Duration.ofSeconds(10)),
        TlsSettings.read(from),
        from.property(
                "rl.server.caller-limit",
                "requests that each caller of the data plane may send to this node, such as"
                    + " `1000/s burst 200`; then 503. A caller is known by its token, client"
                    + " certificate or address")
            .parsed("use a limit such as 1000/s burst 200", ListenSettings::validLimit),
        CallerTokens.read(from));
  }

  private static String validLimit(String text) {
    var unused = RateLimitBand.parse(text);
    return text;
  }

  /** Returns the address of the data plane alone: tokens are secret. */
  @Override
  public String toString() {
    return "ListenSettings[" + host + ":" + port + "]";
  }
}
