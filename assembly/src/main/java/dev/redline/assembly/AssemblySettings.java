package dev.redline.assembly;

import dev.redline.client.RemoteSettings;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.settings.Settings;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporterFactory;
import dev.redline.core.spi.PluginFactory.Creator;
import dev.redline.core.spi.PropertyReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code rl.*} properties of everything that an assembly puts together, typed and checked.
 *
 * @param core what every application with an engine has
 * @param storage where bucket state is kept
 * @param config where rules come from
 * @param inline the rules that stand among the properties
 * @param reload how rule changes are noticed
 * @param exporters create the metrics exporters
 * @param remote the Redline server that decides; empty if the engine does
 */
public record AssemblySettings(
    Settings core,
    StorageSettings storage,
    RuleSourceSettings config,
    InlineRules inline,
    ReloadSettings reload,
    List<Creator<MetricsExporter>> exporters,
    Optional<RemoteSettings> remote) {
  /** Copies the list. */
  public AssemblySettings {
    exporters = List.copyOf(exporters);
  }

  /**
   * Reads properties given by their names, such as {@code rl.storage.max-keys}.
   *
   * @throws InvalidSettingsException if one is unknown or has a wrong value; names all of them
   */
  public static AssemblySettings parse(
      Map<String, String> properties, Plugins plugins, HostProfile host) {
    InlineRules inline = InlineRules.of(properties);
    FlatProperties reader = new FlatProperties(inline.otherProperties());
    AssemblySettings settings = read(reader, plugins, host, inline);
    reader.finish();
    return settings;
  }

  /**
   * Reads these properties among those of the host, in the order in which they are documented.
   *
   * @param inline the rules that stand among the properties, which the reader does not have
   */
  public static AssemblySettings read(
      PropertyReader from, Plugins plugins, HostProfile host, InlineRules inline) {
    Settings core = Settings.read(from);
    boolean decidesRemotely = host.choosesHandler() && HandlerSettings.isRemote(from, core);
    Optional<RemoteSettings> remote =
        host.choosesHandler() ? RemoteSettings.read(from, decidesRemotely) : Optional.empty();
    HostProfile profile = decidesRemotely ? host.withServer(!inline.isEmpty()) : host;
    StorageSettings storage = StorageSettings.read(from, plugins.stores(), profile);
    if (decidesRemotely) {
      HandlerSettings.checkStorage(from, storage);
    }
    RuleSourceSettings config = RuleSourceSettings.read(from, plugins.sources(), profile);
    if (!inline.isEmpty() && !config.names().contains(HostProfile.INLINE)) {
      from.problem(
          "rl.config.source",
          String.join(",", config.names()),
          "add INLINE, or remove " + inline.firstProperty());
    }
    Settings withPolicy =
        FailPolicy.read(from, plugins.sources(), config.names())
            .map(core::withMissingRules)
            .orElse(core);
    ReloadSettings reload = ReloadSettings.read(from, config, plugins.sources());
    List<Creator<MetricsExporter>> exporters = new ArrayList<>();
    for (MetricsExporterFactory factory : plugins.exporters()) {
      exporters.add(Plugins.read(factory, from, core.metrics().enabled()));
    }
    return new AssemblySettings(
        withPolicy,
        storage,
        config,
        inline,
        reload,
        exporters,
        remote.filter(set -> decidesRemotely));
  }
}
