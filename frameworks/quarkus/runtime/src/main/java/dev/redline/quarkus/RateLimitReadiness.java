package dev.redline.quarkus;

import dev.redline.assembly.HealthReport;
import dev.redline.assembly.RedlineAssembly;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * The readiness check {@code redline}: up whenever decisions can be made by the configured
 * strategy. A failing store makes it {@code degraded}, not down.
 */
@Readiness
@Singleton
public class RateLimitReadiness implements HealthCheck {
  private final RedlineAssembly assembly;

  @Inject
  RateLimitReadiness(RedlineAssembly assembly) {
    this.assembly = assembly;
  }

  @Override
  public HealthCheckResponse call() {
    HealthReport report = assembly.health();
    HealthCheckResponseBuilder response = HealthCheckResponse.named("redline").status(report.up());
    report.details().forEach((name, value) -> add(response, name, value));
    return response.build();
  }

  /** Adds a detail; a map becomes several, since the response is flat. */
  private static void add(HealthCheckResponseBuilder response, String name, Object value) {
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, each) -> add(response, name + "." + key, String.valueOf(each)));
    } else if (value instanceof Boolean truth) {
      response.withData(name, truth);
    } else {
      response.withData(name, value.toString());
    }
  }
}
