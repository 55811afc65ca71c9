package dev.redline.server.settings;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.InlineRules;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.ReloadSettings;
import dev.redline.assembly.RuleSourceSettings;
import dev.redline.assembly.StorageSettings;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.internal.settings.PropertyCatalog;
import dev.redline.core.internal.token.JwtSettings;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.settings.Settings;
import dev.redline.core.spi.PropertyReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All properties of the service, typed and checked.
 *
 * @param assembly those of engine, store and rules
 * @param server how the service listens
 * @param jwt which JWTs name users; absent: none
 * @param observability where metrics go, and how the log is written
 * @param adminTokens who may use the admin API, by name
 * @param dataDir where the service keeps its own files
 * @param pluginsDir where jars of third parties are
 */
public record ServerSettings(
    AssemblySettings assembly,
    ListenSettings server,
    Optional<JwtSettings> jwt,
    ObservabilitySettings observability,
    Map<String, AdminToken> adminTokens,
    Path dataDir,
    Optional<Path> pluginsDir) {
  /** The plugins on the class path. */
  private static final List<String> OF_APPLICATIONS =
      List.of("rl.handler", "rl.remote.", "rl.filter.", "rl.filters.", "rl.annotations.");

  private static final String FOR_APPLICATIONS =
      "is for applications (Spring, Quarkus, Jakarta), not for the service; remove it";

  private static final Plugins BUNDLED = Plugins.load(ServerSettings.class.getClassLoader());

  /** The properties that the service understands without plugins of third parties. */
  public static final PropertyCatalog CATALOG = catalog(BUNDLED);

  /** Copies the map. */
  public ServerSettings {
    adminTokens = Map.copyOf(adminTokens);
  }

  /** Returns the properties that the service understands with some plugins. */
  public static PropertyCatalog catalog(Plugins plugins) {
    return new PropertyCatalog(from -> read(from, plugins, InlineRules.NONE));
  }

  /**
   * Reads properties given by their names, such as {@code rl.storage.max-keys}, with the plugins on
   * the class path.
   *
   * @throws InvalidSettingsException if one is unknown or has a wrong value; names all of them
   */
  public static ServerSettings parse(Map<String, String> properties) {
    return parse(properties, BUNDLED);
  }

  /**
   * Reads properties given by their names.
   *
   * @throws InvalidSettingsException if one is unknown or has a wrong value; names all of them
   */
  public static ServerSettings parse(Map<String, String> properties, Plugins plugins) {
    InlineRules inline = InlineRules.of(properties);
    FlatProperties reader = new FlatProperties(inline.otherProperties());
    ServerSettings settings = read(reader, plugins, inline);
    OF_APPLICATIONS.forEach(prefix -> reader.rejectUnder(prefix, FOR_APPLICATIONS));
    reader.finish();
    return settings;
  }

  /** Reads every section, in the order in which the sections are documented. */
  private static ServerSettings read(PropertyReader from, Plugins plugins, InlineRules inline) {
    return new ServerSettings(
        AssemblySettings.read(from, plugins, HostProfile.service(), inline),
        ListenSettings.read(from),
        JwtSettings.read(from),
        ObservabilitySettings.read(from),
        AdminToken.read(from),
        from.property(
                "rl.data-dir",
                "where the service keeps its own files: changed rules, and the admin token it made")
            .unlessSet("`./data`")
            .parsed("use a directory", Path::of)
            .orElse(Path.of("data")),
        PluginsDirectory.read(from));
  }

  /** Returns what every application with an engine has. */
  public Settings core() {
    return assembly.core();
  }

  /** Returns where bucket state is kept. */
  public StorageSettings storage() {
    return assembly.storage();
  }

  /** Returns where rules come from. */
  public RuleSourceSettings config() {
    return assembly.config();
  }

  /** Returns how rule changes are noticed. */
  public ReloadSettings reload() {
    return assembly.reload();
  }
}
