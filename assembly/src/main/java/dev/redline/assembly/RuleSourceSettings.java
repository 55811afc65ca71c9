package dev.redline.assembly;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PluginFactory.Creator;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.rules.documents.internal.sources.RulePath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where rules come from.
 *
 * @param sources the sources, weakest first
 * @param path the file or directory of FILE and CONFIG_MAP
 */
public record RuleSourceSettings(List<Source> sources, Optional<Path> path) {
  private static final String SOURCE = "rl.config.source";
  static final String FILE = "FILE";
  static final String CONFIG_MAP = "CONFIG_MAP";

  /**
   * One source.
   *
   * @param name its name
   * @param deployed whether its documents are deployed with the application
   * @param strategies how it notices changes
   * @param creator creates it; absent if the host supplies it
   */
  public record Source(
      String name,
      boolean deployed,
      Set<ReloadStrategy> strategies,
      Optional<Creator<ConfigProvider>> creator) {
    /** Copies the set. */
    public Source {
      strategies = Set.copyOf(strategies);
    }
  }

  /** Copies the list. */
  public RuleSourceSettings {
    sources = List.copyOf(sources);
  }

  /** Returns the names of the sources, weakest first. */
  public List<String> names() {
    return sources.stream().map(Source::name).toList();
  }

  /** Returns whether {@code rl.config.path} is not a source, but the document to start with. */
  boolean isPathStartingDocument() {
    return path.isPresent() && !names().contains(FILE) && !names().contains(CONFIG_MAP);
  }

  static RuleSourceSettings read(
      PropertyReader from, List<RuleSourceFactory> factories, HostProfile host) {
    Map<String, String> available = new LinkedHashMap<>();
    available.put(Plugins.fold(HostProfile.INLINE), HostProfile.INLINE);
    host.ownSources().forEach(name -> available.put(Plugins.fold(name), name));
    factories.forEach(factory -> available.put(Plugins.fold(factory.name()), factory.name()));
    List<String> written =
        from.property(
                SOURCE,
                "where rules come from, a list, weakest first: `INLINE` (`rl.plans`, `rl.rules`,"
                    + " `rl.rule-sets`), `FILE` or `CONFIG_MAP`, `REDIS`, `MONGO`, `CONSUL`,"
                    + " `NACOS`, `REMOTE_API`, or the name of a [plugin](plugins.md); see"
                    + " [Changing rules](reload.md)")
            .unlessSet("`FILE` in the server")
            .words();
    Optional<Path> path = RulePath.read(from);
    List<String> names = written.isEmpty() ? defaults(host, path) : known(from, written, available);
    checkCombination(from, names);
    Map<String, Source> byName = new HashMap<>();
    for (RuleSourceFactory factory : factories) {
      String name = factory.name();
      boolean supplied =
          host.ownSources().contains(name)
              || (name.equals(FILE) && host.exampleRules() && path.isEmpty());
      Creator<ConfigProvider> creator =
          Plugins.read(factory, from, names.contains(name) && !supplied);
      byName.put(
          name,
          new Source(
              name,
              factory.deployed(),
              factory.strategies(),
              supplied ? Optional.empty() : Optional.of(creator)));
    }
    List<Source> sources = new ArrayList<>();
    for (String name : names) {
      Source source = byName.get(name);
      sources.add(
          source != null
              ? source
              : new Source(name, true, Set.of(ReloadStrategy.POLLING), Optional.empty()));
    }
    return new RuleSourceSettings(sources, path);
  }

  private static List<String> defaults(HostProfile host, Optional<Path> path) {
    List<String> names = new ArrayList<>(host.defaultSources());
    if (host.addsFileSource() && path.isPresent()) {
      names.add(FILE);
    }
    return names;
  }

  private static List<String> known(
      PropertyReader from, List<String> written, Map<String, String> available) {
    List<String> names = new ArrayList<>();
    for (String word : written) {
      String name = available.get(Plugins.fold(word));
      if (name == null) {
        List<String> all = List.copyOf(available.values());
        from.problem(SOURCE, word, Plugins.allowed(Plugins.sourceArtifact(word), all));
      } else {
        names.add(name);
      }
    }
    return names;
  }

  private static void checkCombination(PropertyReader from, List<String> names) {
    String written = String.join(",", names);
    if (new HashSet<>(names).size() < names.size()) {
      from.problem(SOURCE, written, "name each source once");
    }
    if (names.contains(FILE) && names.contains(CONFIG_MAP)) {
      from.problem(SOURCE, written, "use either FILE or CONFIG_MAP: both read " + RulePath.NAME);
    }
  }
}
