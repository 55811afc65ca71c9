package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.spi.StoreFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** A jar of a third party, compiled against redline-core alone. */
final class PluginJar {
  private PluginJar() {}

  /**
   * Compiles classes and packs them.
   *
   * @param sources the texts of the classes, by their names
   * @param services the implementations, by their factory interfaces
   */
  static Path make(
      Path directory, String name, Map<String, String> sources, Map<String, String> services)
      throws IOException, URISyntaxException {
    Path classes = Files.createTempDirectory(directory, "classes");
    if (!sources.isEmpty()) {
      compile(sources, classes);
    }
    Path jar = directory.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entry(out, classes.relativize(file).toString(), Files.readAllBytes(file));
      }
      for (Map.Entry<String, String> service : services.entrySet()) {
        byte[] text = service.getValue().getBytes(StandardCharsets.UTF_8);
        entry(out, "META-INF/services/" + service.getKey(), text);
      }
    }
    return jar;
  }

  private static void compile(Map<String, String> sources, Path classes) throws URISyntaxException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    URI core = StoreFactory.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((name, text) -> units.add(new Source(name, text)));
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of("-proc:none", "-cp", Path.of(core).toString(), "-d", classes.toString());
    boolean compiled = compiler.getTask(messages, null, null, options, null, units).call();
    assertThat(compiled).as(messages.toString()).isTrue();
  }

  private static void entry(JarOutputStream out, String name, byte[] content) throws IOException {
    out.putNextEntry(new JarEntry(name));
    ((OutputStream) out).write(content);
    out.closeEntry();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
