package dev.redline.server.settings;

import dev.redline.core.spi.PropertyReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/**
 * Where metrics go, and how the log is written.
 *
 * @param exporters where metrics go
 * @param logFormat how the log is written
 */
public record ObservabilitySettings(List<Exporter> exporters, LogFormat logFormat) {
  /** The name of the property with the format of the log, which is needed before all others. */
  public static final String LOG_FORMAT = "rl.logging.format";

  private static final String EXPORTERS = "rl.metrics.exporters";

  /** A system that receives metrics. */
  public enum Exporter {
    /** Prometheus reads them from {@code /actuator/prometheus}. */
    PROMETHEUS,
    /** They are sent to a StatsD daemon. */
    STATSD,
    /** They are sent to an OpenTelemetry collector, by OTLP over HTTP. */
    OTLP
  }

  /** How the log is written to standard output. */
  public enum LogFormat {
    /** A line of text for each event; stack traces have more lines. */
    TEXT,
    /** A line with a JSON object for each event. */
    JSON
  }

  /** Copies the list. */
  public ObservabilitySettings {
    exporters = List.copyOf(exporters);
  }

  static ObservabilitySettings read(PropertyReader from) {
    return new ObservabilitySettings(
        exporters(from),
        from.property(
                LOG_FORMAT,
                "`JSON`: one object per line, with the fields of the Elastic Common Schema")
            .choice(LogFormat.class, LogFormat.TEXT));
  }

  private static List<Exporter> exporters(PropertyReader from) {
    List<String> words =
        from.property(
                EXPORTERS,
                "where metrics go: a list of `PROMETHEUS`, `STATSD` and `OTLP`, each with the"
                    + " properties `management.….metrics.export.*` of Spring Boot; see"
                    + " [Operations](operations.md#metrics)")
            .unlessSet("`PROMETHEUS`")
            .words();
    if (words.isEmpty()) {
      return List.of(Exporter.PROMETHEUS);
    }
    List<Exporter> exporters = new ArrayList<>();
    for (String word : words) {
      try {
        exporters.add(Exporter.valueOf(word.toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        from.problem(EXPORTERS, word, "use one of PROMETHEUS, STATSD, OTLP");
      }
    }
    if (new HashSet<>(exporters).size() < exporters.size()) {
      from.problem(EXPORTERS, String.join(",", words), "name each exporter once");
    }
    return exporters;
  }
}
