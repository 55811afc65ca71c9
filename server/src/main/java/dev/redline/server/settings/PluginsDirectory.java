package dev.redline.server.settings;

import dev.redline.assembly.Plugins;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.PropertyReader;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The jars of {@code rl.server.plugins-dir} and what they add. They are loaded by one class loader,
 * which finds the classes of the service first.
 */
public final class PluginsDirectory implements AutoCloseable {
  private static final String NAME = "rl.server.plugins-dir";

  private final URLClassLoader loader;
  private final Plugins plugins;

  private PluginsDirectory(URLClassLoader loader, Plugins plugins) {
    this.loader = loader;
    this.plugins = plugins;
  }

  static Optional<Path> read(PropertyReader from) {
    return from.property(
            NAME, "a directory of jars that add stores, rule sources or metrics exporters")
        .parsed("use a directory that exists", PluginsDirectory::existing);
  }

  private static Path existing(String directory) {
    Path path = Path.of(directory);
    if (!Files.isDirectory(path)) {
      throw new IllegalArgumentException(directory);
    }
    return path;
  }

  /**
   * Opens the directory that the properties name; without one, the plugins are those on the class
   * path.
   *
   * @throws InvalidSettingsException if a jar cannot be read or a plugin cannot be created
   */
  public static PluginsDirectory open(Map<String, String> properties) {
    // Other properties are checked later, when the plugins that declare them are known.
    Optional<Path> directory = read(new FlatProperties(properties));
    URLClassLoader loader =
        new URLClassLoader(
            "plugins",
            directory.map(PluginsDirectory::jars).orElseGet(() -> new URL[0]),
            PluginsDirectory.class.getClassLoader());
    try {
      return new PluginsDirectory(loader, Plugins.load(loader));
    } catch (InvalidSettingsException e) {
      close(loader);
      throw e;
    }
  }

  private static URL[] jars(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      List<URL> jars = new ArrayList<>();
      for (Path file : entries.filter(PluginsDirectory::isJar).sorted().toList()) {
        checkReadable(file);
        jars.add(file.toUri().toURL());
      }
      return jars.toArray(URL[]::new);
    } catch (MalformedURLException e) {
      throw new IllegalStateException("every file has a URL", e);
    } catch (IOException e) {
      throw new InvalidSettingsException(List.of(NAME + ": cannot be listed: " + e));
    }
  }

  /** Rejects a damaged jar, which a class loader would ignore without a message. */
  private static void checkReadable(Path file) {
    try (JarFile jar = new JarFile(file.toFile())) {
      jar.getManifest();
    } catch (IOException e) {
      throw new InvalidSettingsException(
          List.of(NAME + ": " + file + " is not a readable jar: " + e.getMessage()));
    }
  }

  private static boolean isJar(Path file) {
    return file.toString().endsWith(".jar") && Files.isRegularFile(file);
  }

  /** Returns the plugins of the class path and of the directory. */
  public Plugins plugins() {
    return plugins;
  }

  /** Closes the jars; classes that are not loaded yet cannot be loaded any more. */
  @Override
  public void close() {
    close(loader);
  }

  private static void close(URLClassLoader loader) {
    try {
      loader.close();
    } catch (IOException e) {
      System.getLogger(PluginsDirectory.class.getName())
          .log(System.Logger.Level.DEBUG, "closing plugins failed", e);
    }
  }
}
