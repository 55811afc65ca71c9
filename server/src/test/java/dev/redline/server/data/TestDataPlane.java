package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.MicrosClock;
import dev.redline.server.access.CallerAuthenticator;
import dev.redline.server.access.CallerLimit;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.data.connection.ConnectionLimits;
import dev.redline.server.logging.DenialLog;
import dev.redline.server.rules.RulesPage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts a data plane on a free port, without the rest of the service. */
final class TestDataPlane {
  private Duration drainTimeout = Duration.ofSeconds(5);
  private int maxRequests = 1000;
  private ConnectionLimits connections =
      new ConnectionLimits(
          20_000, Duration.ofSeconds(10), Duration.ofSeconds(90), Duration.ofSeconds(10));

  TestDataPlane drainTimeout(Duration value) {
    drainTimeout = value;
    return this;
  }

  TestDataPlane maxRequests(int value) {
    maxRequests = value;
    return this;
  }

  TestDataPlane connections(ConnectionLimits value) {
    connections = value;
    return this;
  }

  DataPlane start(RateLimitEngine engine) throws Exception {
    DataPlane dataPlane =
        new DataPlane(
            new DataPlaneSettings(
                "localhost",
                0,
                drainTimeout,
                HttpSettings.DEFAULT,
                TrustedProxies.loopback(),
                "X-API-Key",
                false,
                maxRequests,
                1 << 24,
                connections,
                Duration.ofSeconds(10),
                Optional.empty()),
            engine,
            new SimpleMeterRegistry(),
            (limit, bands) -> List.of(),
            new CallerAuthenticator(Map.of()),
            new CallerLimit(Optional.empty(), IdentitySettings.DEFAULT),
            UserTokens.NONE,
            new TokenAuthenticator(Map.of(), IdentitySettings.DEFAULT, MicrosClock.monotonic()),
            new RulesPage.Maker(engine, () -> 1),
            DenialLog.start(ApiKeyDigest.ofProcess(), MetricsExporter.NONE));
    dataPlane.start();
    return dataPlane;
  }
}
