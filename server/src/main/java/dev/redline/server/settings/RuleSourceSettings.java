package dev.redline.server.settings;

import dev.redline.core.internal.settings.PropertyReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Where rules come from.
 *
 * @param sources the sources, weakest first
 * @param path the file or directory of FILE and CONFIG_MAP
 * @param watchConfigMap whether a mounted ConfigMap is read again when it changes
 */
public record RuleSourceSettings(
    List<Source> sources, Optional<Path> path, boolean watchConfigMap) {
  private static final String SOURCE = "rl.config.source";
  private static final String PATH = "rl.config.path";

  /** The kinds of rule source. */
  public enum Source {
    /** A file or directory. */
    FILE,
    /** A Kubernetes ConfigMap, mounted as a volume. */
    CONFIG_MAP,
    /** A document in Redis. */
    REDIS
  }

  /** Copies the list. */
  public RuleSourceSettings {
    sources = List.copyOf(sources);
  }

  /** Returns whether some of the rules come from files. */
  boolean readsFiles() {
    return sources.contains(Source.FILE) || sources.contains(Source.CONFIG_MAP);
  }

  static RuleSourceSettings read(PropertyReader from) {
    List<Source> sources = sources(from);
    Optional<Path> path =
        from.property(
                PATH,
                "file or directory of `FILE` and `CONFIG_MAP`; with `REDIS` alone, the document to"
                    + " start with")
            .unlessSet("an example")
            .parsed("use a file or directory", Path::of);
    if (sources.contains(Source.CONFIG_MAP) && path.isEmpty()) {
      from.problem(PATH, "", "source CONFIG_MAP needs the file or directory it is mounted at");
    }
    return new RuleSourceSettings(
        sources,
        path,
        from.property(
                "rl.k8s.watch-enabled",
                "false: a mounted ConfigMap is read at the start and never again")
            .bool(true));
  }

  private static List<Source> sources(PropertyReader from) {
    List<Source> sources =
        from.property(
                SOURCE,
                "where rules come from: a list of `FILE` or `CONFIG_MAP`, and `REDIS`, weakest"
                    + " first; see [Changing rules](reload.md)")
            .choices(Source.class, Source.FILE);
    String written = String.join(",", sources.stream().map(Enum::name).toList());
    if (new HashSet<>(sources).size() < sources.size()) {
      from.problem(SOURCE, written, "name each source once");
    }
    if (sources.contains(Source.FILE) && sources.contains(Source.CONFIG_MAP)) {
      from.problem(SOURCE, written, "use either FILE or CONFIG_MAP: both read " + PATH);
    }
    return sources;
  }
}
