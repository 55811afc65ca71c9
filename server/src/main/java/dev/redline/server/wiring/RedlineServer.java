package dev.redline.server.wiring;

import dev.redline.assembly.MergedProperties;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.internal.settings.PropertyCatalog;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.store.StorageProvider;
import dev.redline.server.admin.AdminWiring;
import dev.redline.server.data.DataPlane;
import dev.redline.server.management.ManagementWiring;
import dev.redline.server.settings.ObservabilitySettings.Exporter;
import dev.redline.server.settings.PluginsDirectory;
import dev.redline.server.settings.ServerSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * A running service: the engine, the data plane and the management port.
 *
 * <p>Closing it, or ending the process, drains the data plane first.
 */
public final class RedlineServer implements AutoCloseable {
  private static final Duration SHUTDOWN_AFTER_DRAIN = Duration.ofSeconds(15);

  private final ConfigurableApplicationContext context;

  private RedlineServer(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /**
   * Starts a server; returns when both ports accept requests.
   *
   * @throws StartupFailure if it cannot start for a reason that the user can fix
   */
  public static RedlineServer start(ServerOptions options) {
    SpringApplication application = new SpringApplication(Assembly.class);
    String location = "classpath:/application.yaml";
    if (options.config().isPresent()) {
      location += ",file:" + options.config().get().toAbsolutePath();
    }
    application.addListeners(new LogFormatListener(options));
    application.addInitializers(context -> configure(context, options));
    try {
      return new RedlineServer(application.run("--spring.config.location=" + location));
    } catch (RuntimeException e) {
      throw StartupFailure.behind(e).orElseThrow(() -> e);
    }
  }

  private static void configure(ConfigurableApplicationContext context, ServerOptions options) {
    PluginsDirectory plugins;
    PropertyCatalog catalog;
    ServerSettings settings;
    try {
      plugins =
          PluginsDirectory.open(merged(context.getEnvironment(), ServerSettings.CATALOG, options));
      catalog = ServerSettings.catalog(plugins.plugins());
      settings =
          ServerSettings.parse(
              merged(context.getEnvironment(), catalog, options), plugins.plugins());
    } catch (InvalidSettingsException e) {
      throw new StartupFailure(e.problems(), e);
    }
    MergedProperties.warnOfUnknown(options.variables(), catalog);
    String managementHost = settings.server().managementHost();
    try {
      var unused = InetAddress.getAllByName(managementHost);
    } catch (UnknownHostException e) {
      throw new StartupFailure(
          List.of(
              "rl.server.management-host: '"
                  + managementHost
                  + "' is not allowed; use an address or name of this machine"),
          e);
    }
    Duration stopping = settings.server().drainTimeout().plus(SHUTDOWN_AFTER_DRAIN);
    Map<String, Object> derived = new LinkedHashMap<>();
    derived.put("server.address", settings.server().managementHost());
    derived.put("server.port", settings.server().managementPort());
    derived.put("server.tomcat.max-connections", settings.server().maxConnections());
    for (Exporter exporter : Exporter.values()) {
      derived.put(
          "management." + exporter.name().toLowerCase(Locale.ROOT) + ".metrics.export.enabled",
          settings.observability().exporters().contains(exporter));
    }
    derived.put("spring.lifecycle.timeout-per-shutdown-phase", stopping.toMillis() + "ms");
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("redline", derived));
    ((GenericApplicationContext) context)
        .registerBean("plugins", PluginsDirectory.class, () -> plugins);
    context.getBeanFactory().registerSingleton("settings", settings);
    context.getBeanFactory().registerSingleton("serverOptions", options);
  }

  private static Map<String, String> merged(
      ConfigurableEnvironment environment, PropertyCatalog catalog, ServerOptions options) {
    return PropertyLayers.merge(environment, catalog, options.variables(), options.flags());
  }

  /** Returns the settings it runs by. */
  public ServerSettings settings() {
    return context.getBean(ServerSettings.class);
  }

  /** Returns whether the buckets are in the memory of this process. */
  public boolean storesInMemory() {
    return context.getBean(StorageProvider.class) instanceof InMemoryStore;
  }

  /** Returns the port of the data plane. */
  public int port() {
    return context.getBean(DataPlane.class).port();
  }

  /** Returns the management port. */
  public int managementPort() {
    WebServer server = ((WebServerApplicationContext) context).getWebServer();
    return Objects.requireNonNull(server, "the management port is not open").getPort();
  }

  /** Returns the file with the generated admin token, if none was configured. */
  public Optional<Path> adminTokenFile() {
    return context.getBean(AccessWiring.Tokens.class).file();
  }

  @Override
  public void close() {
    context.close();
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({EngineWiring.class, AccessWiring.class, ManagementWiring.class, AdminWiring.class})
  static class Assembly {}
}
