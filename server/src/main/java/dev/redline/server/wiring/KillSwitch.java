package dev.redline.server.wiring;

import dev.redline.assembly.MergedProperties;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Profiles;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.FileSystemResource;

/**
 * Follows {@code rl.enabled} in the configuration file while the service runs.
 *
 * <p>A file that cannot be read, or has another value than true or false, changes nothing.
 * Documents of the file that profiles switch off are ignored. Used by one thread at a time.
 */
final class KillSwitch {
  private static final Logger LOG = System.getLogger(KillSwitch.class.getName());
  private static final String NAME = "rl.enabled";

  private final Path file;
  private final ConfigurableEnvironment environment;
  private final Consumer<Boolean> enable;
  private boolean enabled;
  private @Nullable String lastWarning;

  /**
   * Creates the switch.
   *
   * @param enabled the current value
   * @param enable receives the new value when it changes
   */
  KillSwitch(
      Path file, ConfigurableEnvironment environment, boolean enabled, Consumer<Boolean> enable) {
    this.file = file;
    this.environment = environment;
    this.enabled = enabled;
    this.enable = enable;
  }

  /**
   * Returns whether something stronger than the file says {@code rl.enabled}: a flag, a variable, a
   * system property, or a file that it imports. Then the file is not followed.
   */
  static boolean isOverridden(
      Path file, ServerOptions options, ConfigurableEnvironment environment) {
    // An empty value, such as that of compose's ${RL_ENABLED:-}, counts as absent.
    if (hasValue(options.flags().get(NAME)) || hasValue(options.variables().get("RL_ENABLED"))) {
      return true;
    }
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof EnumerablePropertySource<?> enumerable
          && PropertyLayers.properties(enumerable, environment).entrySet().stream()
              .anyMatch(each -> isName(each.getKey()) && hasValue(each.getValue()))) {
        // Spring names the source of a file by its path.
        return !source.getName().contains(file.toAbsolutePath().toString());
      }
    }
    return false;
  }

  private static boolean hasValue(@Nullable String value) {
    return value != null && !value.isBlank();
  }

  private static boolean isName(String property) {
    return MergedProperties.fold(property).equals(NAME);
  }

  /** Reads the file, and switches if the value has changed. */
  void update() {
    boolean now;
    try {
      now = read().map(KillSwitch::parse).orElse(true);
    } catch (IOException | RuntimeException e) {
      warnOnce(file + ": " + NAME + " stays " + enabled + ": " + e.getMessage());
      return;
    }
    lastWarning = null;
    if (now != enabled) {
      enabled = now;
      enable.accept(now);
      LOG.log(Level.WARNING, NAME + " is " + now + " now: limiting is " + (now ? "on" : "off"));
    }
  }

  private void warnOnce(String text) {
    if (!text.equals(lastWarning)) {
      lastWarning = text;
      LOG.log(Level.WARNING, text);
    }
  }

  private static boolean parse(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
    };
  }

  /** Returns whether Spring would use a document of the file. */
  private boolean isActive(PropertySource<?> document) {
    BindResult<String[]> profiles =
        new Binder(ConfigurationPropertySources.from(document))
            .bind("spring.config.activate.on-profile", String[].class);
    return !profiles.isBound() || environment.acceptsProfiles(Profiles.of(profiles.get()));
  }

  private Optional<String> read() throws IOException {
    boolean properties = file.toString().endsWith(".properties");
    PropertySourceLoader loader =
        properties ? new PropertiesPropertySourceLoader() : new YamlPropertySourceLoader();
    String found = null;
    for (PropertySource<?> document : loader.load("config", new FileSystemResource(file))) {
      if (document instanceof EnumerablePropertySource<?> enumerable && isActive(document)) {
        for (Map.Entry<String, String> property :
            PropertyLayers.properties(enumerable, environment).entrySet()) {
          found = isName(property.getKey()) ? property.getValue().trim() : found;
        }
      }
    }
    return Optional.ofNullable(found);
  }
}
