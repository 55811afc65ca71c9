package dev.redline.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The names under which other modules can require the jars; a name never changes once published.
 */
class ModuleNamesTest {

  static List<Pom> jarModules() {
    return Reactor.jarModules();
  }

  @ParameterizedTest
  @MethodSource("jarModules")
  void aJarNamesItsModuleAfterItsRootPackage(Pom pom) throws IOException {
    String name = "dev." + pom.text("artifactId").replace('-', '.');

    assertThat(jars(pom)).isNotEmpty();
    for (Path jar : jars(pom)) {
      try (JarFile file = new JarFile(jar.toFile())) {
        // Without the entry Java derives a name from the file's, which anyone may change
        assertThat(file.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
            .as(jar.toString())
            .isEqualTo(name);
      }
      assertThat(descriptor(jar).name()).isEqualTo(name);
    }
  }

  @ParameterizedTest
  @MethodSource("jarModules")
  void aLibraryHasNoPackageOutsideItsRoot(Pom pom) throws IOException {
    String root = "dev." + pom.text("artifactId").replace('-', '.');

    if (Reactor.libraries().contains(pom.text("artifactId"))) {
      for (Path jar : jars(pom)) {
        assertThat(descriptor(jar).packages())
            .as(jar.toString())
            .isNotEmpty()
            .allMatch(name -> name.equals(root) || name.startsWith(root + "."));
      }
    }
  }

  @Test
  void namesAreUnique() throws IOException {
    List<String> names = new ArrayList<>();
    for (Pom pom : jarModules()) {
      names.add(descriptor(jars(pom).get(0)).name());
    }
    assertThat(names).doesNotHaveDuplicates().hasSameSizeAs(jarModules());
  }

  private static ModuleDescriptor descriptor(Path jar) {
    return ModuleFinder.of(jar).findAll().iterator().next().descriptor();
  }

  /** The jars with classes that the last build of this module left. */
  private static List<Path> jars(Pom pom) throws IOException {
    Path target = pom.folder().resolve("target");
    assertThat(target).as("made by mvn verify of the whole project").isDirectory();
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(target, pom.text("artifactId") + "*.jar")) {
      for (Path jar : found) {
        String name = jar.getFileName().toString();
        if (!name.endsWith("-sources.jar") && !name.endsWith("-javadoc.jar")) {
          jars.add(jar);
        }
      }
    }
    return jars;
  }
}
