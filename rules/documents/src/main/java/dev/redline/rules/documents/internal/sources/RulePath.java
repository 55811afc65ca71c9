package dev.redline.rules.documents.internal.sources;

import dev.redline.core.spi.PropertyReader;
import java.nio.file.Path;
import java.util.Optional;

/** The property {@code rl.config.path}, which the sources of files share. */
public final class RulePath {
  /** The name of the property. */
  public static final String NAME = "rl.config.path";

  private RulePath() {}

  /** Reads the property. */
  public static Optional<Path> read(PropertyReader properties) {
    return properties
        .property(
            NAME,
            "file or directory of `FILE` and `CONFIG_MAP`; if neither is a source, the document to"
                + " start with")
        .unlessSet("an example")
        .parsed("use a file or directory", Path::of);
  }

  /** Reads the property, which the chosen source needs; reports if it is missing. */
  static Path require(PropertyReader properties, String source, String which, boolean chosen) {
    Optional<Path> path = read(properties);
    if (chosen && path.isEmpty()) {
      properties.problem(NAME, "", "source " + source + " needs the file or directory " + which);
    }
    return path.orElse(Path.of("."));
  }
}
