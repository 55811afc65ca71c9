package dev.redline.core.spi;

/**
 * Creates a metrics exporter. All factories that are found are used together, unless {@code
 * rl.metrics.enabled} is false; one that cannot export returns {@link MetricsExporter#NONE}.
 */
public interface MetricsExporterFactory extends PluginFactory<MetricsExporter> {}
