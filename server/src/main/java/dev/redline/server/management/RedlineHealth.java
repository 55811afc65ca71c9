package dev.redline.server.management;

import dev.redline.assembly.HealthReport;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** The health component {@code redline}. */
final class RedlineHealth implements HealthIndicator {
  private final Supplier<HealthReport> reports;

  RedlineHealth(Supplier<HealthReport> reports) {
    this.reports = reports;
  }

  @Override
  public Health health() {
    HealthReport report = reports.get();
    return (report.up() ? Health.up() : Health.down()).withDetails(report.details()).build();
  }
}
