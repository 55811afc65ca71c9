package dev.redline.server.wiring;

import dev.redline.server.settings.ObservabilitySettings;
import dev.redline.server.settings.ObservabilitySettings.LogFormat;
import dev.redline.server.settings.ServerSettings;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Chooses the format of the log.
 *
 * <p>Spring Boot sets up the log before it calls initializers, which read the other settings. A
 * wrong value is ignored here: reading the settings reports it.
 */
final class LogFormatListener
    implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {
  private final ServerOptions options;

  LogFormatListener(ServerOptions options) {
    this.options = options;
  }

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    ConfigurableEnvironment environment = event.getEnvironment();
    String format =
        PropertyLayers.merge(
                environment, ServerSettings.CATALOG, options.variables(), options.flags())
            .get(ObservabilitySettings.LOG_FORMAT);
    if (format != null && format.strip().equalsIgnoreCase(LogFormat.JSON.name())) {
      environment
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  "redline-log", Map.of("logging.structured.format.console", "ecs")));
    }
  }

  /** After the configuration files are read, before the log is set up. */
  @Override
  public int getOrder() {
    return LoggingApplicationListener.DEFAULT_ORDER - 1;
  }
}
