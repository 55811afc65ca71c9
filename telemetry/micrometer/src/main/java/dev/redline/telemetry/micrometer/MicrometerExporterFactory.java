package dev.redline.telemetry.micrometer;

import dev.redline.core.settings.Settings;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporterFactory;
import dev.redline.core.spi.PropertyReader;
import io.micrometer.core.instrument.MeterRegistry;

/** Creates the exporter to the application's Micrometer registry, if it has exactly one. */
public final class MicrometerExporterFactory implements MetricsExporterFactory {
  @Override
  public String name() {
    return "MICROMETER";
  }

  @Override
  public Creator<MetricsExporter> read(PropertyReader properties, boolean chosen) {
    return context -> {
      int maxRules =
          context
              .find(Settings.class)
              .map(settings -> settings.metrics().maxRules())
              .orElse(MicrometerMetricsExporter.DEFAULT_MAX_RULES);
      return context
          .find(MeterRegistry.class)
          .<MetricsExporter>map(registry -> new MicrometerMetricsExporter(registry, maxRules))
          .orElse(MetricsExporter.NONE);
    };
  }
}
