package dev.redline.project;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The modules of this build, as the root POM lists them. */
final class Reactor {
  /** Modules that have tests and make no jar. */
  private static final Set<String> TESTS_ALONE = Set.of("redline-project-checks", "redline-deploy");

  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private Reactor() {}

  static Pom root() {
    return Pom.read(ROOT);
  }

  /** The ancestor of all modules but the BOM. */
  static Pom buildSettings() {
    return Pom.read(ROOT.resolve("build-settings"));
  }

  static List<Pom> modules() {
    return root().texts("modules", "module").stream().map(ROOT::resolve).map(Pom::read).toList();
  }

  /** Modules that make a jar, of which some are published. */
  static List<Pom> jarModules() {
    return modules().stream()
        .filter(module -> !module.text("packaging").equals("pom"))
        .filter(module -> !TESTS_ALONE.contains(module.text("artifactId")))
        .toList();
  }

  /** The parent, and the modules that are deployed. */
  static List<Pom> published() {
    List<Pom> published = new ArrayList<>(modules());
    published.removeIf(module -> module.text("properties", "maven.deploy.skip").equals("true"));
    published.add(root());
    return published;
  }

  /** The artifacts that the bill of materials names: the libraries. */
  static List<String> libraries() {
    return Pom.read(ROOT.resolve("bom"))
        .texts("dependencyManagement", "dependencies", "dependency", "artifactId");
  }

  /** The sources of all tests of this build. */
  static List<Path> testSources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Pom module : modules()) {
      Path tests = module.folder().resolve("src/test/java");
      if (Files.isDirectory(tests)) {
        try (Stream<Path> files = Files.walk(tests)) {
          files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    return sources;
  }
}
