package dev.redline.server.settings;

import dev.redline.core.internal.settings.PropertyReader;
import java.time.Duration;

/**
 * How the service listens.
 *
 * @param host the address of the data plane
 * @param port the port of the data plane; 0 for any free one
 * @param managementHost the address of the management plane
 * @param managementPort the port of the management plane; 0 for any free one
 * @param drainTimeout how long open requests are answered after SIGTERM
 * @param inlineLimits whether a check may bring its own limits
 * @param maxConnections how many connections are held at once, on each port
 * @param bodyTimeout how long a request may take to send its body
 */
public record ListenSettings(
    String host,
    int port,
    String managementHost,
    int managementPort,
    Duration drainTimeout,
    boolean inlineLimits,
    int maxConnections,
    Duration bodyTimeout) {
  private static final int LAST_PORT = 65_535;

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
                "rl.server.body-timeout", "how long a request may take to send its body, then 408")
            .duration(Duration.ofSeconds(10)));
  }
}
