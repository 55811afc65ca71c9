package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.RequestContext;
import dev.redline.core.spi.StoreFactory;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A store and a rule source from a jar that was built against redline-core alone. */
class ThirdPartyJarTest {
  private static final String STORE =
      """
      package com.acme;
      import dev.redline.core.memory.LocalStore;
      import dev.redline.core.spi.*;
      import dev.redline.core.store.StorageProvider;
      public final class AcmeStoreFactory implements StoreFactory {
        public String name() { return "ACME"; }
        public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
          int keys = properties.property("rl.acme.keys", "how many").integer(10, 1, 1000);
          return context -> {
            System.setProperty("acme.keys", Integer.toString(keys));
            return new LocalStore(keys, context.clock());
          };
        }
      }
      """;
  private static final String SOURCE =
      """
      package com.acme;
      import dev.redline.core.spi.*;
      import java.util.*;
      public final class AcmeSourceFactory implements RuleSourceFactory {
        public String name() { return "ACME"; }
        public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
          String rule = properties.property("rl.acme.rule", "its id").text("acme-rule");
          return context -> new ConfigProvider() {
            public String name() { return "Acme"; }
            public Optional<Snapshot> load() {
              return Optional.of(new Snapshot("1", List.of(
                  new Document("acme", "rules: [{ id: " + rule + ", limit: 2/d }]"))));
            }
          };
        }
      }
      """;

  @TempDir Path directory;

  private Path jar() throws Exception {
    Path sources = Files.createDirectories(directory.resolve("com/acme"));
    Path store = Files.writeString(sources.resolve("AcmeStoreFactory.java"), STORE);
    Path source = Files.writeString(sources.resolve("AcmeSourceFactory.java"), SOURCE);
    Path classes = Files.createDirectories(directory.resolve("classes"));
    Path core =
        Path.of(StoreFactory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                core.toString(),
                "-d",
                classes.toString(),
                store.toString(),
                source.toString());
    assertThat(failed).isZero();
    Path jar = directory.resolve("acme.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entry(out, classes.relativize(file).toString(), Files.readAllBytes(file));
      }
      for (String kind : List.of("Store", "RuleSource")) {
        String type = "com.acme.Acme" + kind.replace("Rule", "") + "Factory";
        entry(
            out,
            "META-INF/services/dev.redline.core.spi." + kind + "Factory",
            type.getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }

  private static void entry(JarOutputStream out, String name, byte[] content) throws IOException {
    out.putNextEntry(new JarEntry(name));
    out.write(content);
    out.closeEntry();
  }

  /** What runs inside the class loader of the application that has the jar. */
  public static final class Application implements Runnable {
    @Override
    public void run() {
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(RedlineAutoConfiguration.class))
          .withPropertyValues(
              "rl.storage.type=ACME",
              "rl.config.source=acme",
              "rl.acme.keys=7",
              "rl.acme.rule=theirs")
          .run(
              context ->
                  assertThat(
                          context
                              .getBean(RateLimitEngine.class)
                              .check(RequestContext.builder().path("/x").build())
                              .ruleId())
                      .hasValue("theirs"));
    }
  }

  @Test
  void storeAndSourceWorkInSpring() throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(":", -1)) {
      urls.add(Path.of(element).toUri().toURL());
    }
    urls.add(jar().toUri().toURL());
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      thread.setContextClassLoader(loader);
      Class<?> application = loader.loadClass(Application.class.getName());
      ((Runnable) application.getConstructor().newInstance()).run();
      assertThat(System.getProperty("acme.keys")).isEqualTo("7");
    } finally {
      thread.setContextClassLoader(before);
      System.clearProperty("acme.keys");
    }
  }
}
