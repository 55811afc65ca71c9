package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.server.wiring.ServerOptions;
import dev.redline.server.wiring.StartupFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store and a rule source in a jar that the build does not know. */
class PluginsTest {
  private static final String STORE =
      """
      package com.acme;

      import dev.redline.core.memory.LocalStore;
      import dev.redline.core.spi.PropertyReader;
      import dev.redline.core.spi.StoreFactory;
      import dev.redline.core.store.ForwardingStore;
      import dev.redline.core.store.StorageProvider;

      public final class AcmeStoreFactory implements StoreFactory {
        @Override
        public String name() {
          return "ACME";
        }

        @Override
        public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
          String shelf = properties.property("rl.acme.shelf", "where buckets stand").text("none");
          return context -> {
            StorageProvider store = new LocalStore(context.maxKeys(), context.clock());
            return new ForwardingStore() {
              @Override
              protected StorageProvider delegate() {
                return store;
              }

              @Override
              public String type() {
                return "acme-" + shelf;
              }
            };
          };
        }
      }
      """;

  private static final String SOURCE =
      """
      package com.acme;

      import dev.redline.core.spi.ConfigProvider;
      import dev.redline.core.spi.PropertyReader;
      import dev.redline.core.spi.RuleSourceFactory;
      import java.io.IOException;
      import java.nio.file.Files;
      import java.nio.file.Path;
      import java.util.List;
      import java.util.Optional;

      public final class AcmeSourceFactory implements RuleSourceFactory {
        @Override
        public String name() {
          return "ACME";
        }

        @Override
        public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
          Optional<String> note = properties.property("rl.acme.note", "the rules").text();
          if (chosen && note.isEmpty()) {
            properties.problem("rl.acme.note", "", "set the file of the rules");
          }
          return context -> new Note(Path.of(note.get()));
        }

        record Note(Path file) implements ConfigProvider {
          @Override
          public String name() {
            return "acme note";
          }

          @Override
          public Optional<Snapshot> load() throws IOException {
            String text = Files.readString(file);
            return Optional.of(new Snapshot(text, List.of(new Document(name(), text))));
          }
        }
      }
      """;

  @TempDir static Path directory;

  private static Path plugins;

  @BeforeAll
  static void makeJar() throws Exception {
    plugins = Files.createDirectory(directory.resolve("plugins"));
    Path jar =
        PluginJar.make(
            directory,
            "acme.jar",
            Map.of("com.acme.AcmeStoreFactory", STORE, "com.acme.AcmeSourceFactory", SOURCE),
            Map.of(
                "dev.redline.core.spi.StoreFactory", "com.acme.AcmeStoreFactory",
                "dev.redline.core.spi.RuleSourceFactory", "com.acme.AcmeSourceFactory"));
    Files.move(jar, plugins.resolve("acme.jar"));
  }

  private static TestServer start(Map<String, String> flags, Map<String, String> variables) {
    Map<String, String> all = new HashMap<>(TestServer.onFreePorts());
    all.put("rl.server.plugins-dir", plugins.toString());
    all.putAll(flags);
    return TestServer.start(new ServerOptions(all, variables, Optional.empty()));
  }

  @Test
  void usesStoreAndSourceOfAPlugin() throws Exception {
    Path note = Files.writeString(directory.resolve("note"), "rules: [{ id: n, limit: 1/h }]");
    Map<String, String> flags =
        Map.of(
            "rl.storage.type", "acme",
            "rl.config.source", "ACME",
            "rl.acme.note", note.toString(),
            "rl.reload.polling-interval", "100ms");
    try (TestServer server = start(flags, Map.of("RL_ACME_SHELF", "top"))) {
      String body = "{\"request\":{\"path\":\"/\"}}";
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(200);
      assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(429);
      assertThat(server.get(server.management("/actuator/health")).body()).contains("acme-top");

      Files.writeString(note, "rules: [{ id: n, limit: 5/h }]");
      await()
          .untilAsserted(
              () -> assertThat(server.ask("/v1/check", body).get("limit").asInt()).isEqualTo(5));
    }
  }

  @Test
  void knowsPropertiesOfAPluginThatIsNotChosen() {
    try (TestServer server = start(Map.of("rl.acme.shelf", "low"), Map.of())) {
      assertThat(server.get(server.management("/actuator/health")).body()).contains("local");
    }
  }

  @Test
  void rejectsMissingAndMisspeltPropertiesOfAPlugin() {
    assertThatThrownBy(
            () -> start(Map.of("rl.config.source", "ACME", "rl.acme.shelfs", "x"), Map.of()))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.acme.note: '' is not allowed; set the file of the rules")
        .hasMessageContaining(
            "rl.acme.shelfs: there is no such property; did you mean rl.acme.shelf?");
  }

  @Test
  void rejectsBrokenJarsAndMissingDirectories() throws Exception {
    assertThatThrownBy(
            () ->
                start(
                    Map.of("rl.server.plugins-dir", directory.resolve("none").toString()),
                    Map.of()))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.server.plugins-dir: '")
        .hasMessageContaining("use a directory that exists");

    Path broken = Files.createDirectory(directory.resolve("broken"));
    Path jar =
        PluginJar.make(
            directory,
            "broken.jar",
            Map.of(),
            Map.of("dev.redline.core.spi.StoreFactory", "com.acme.NoSuchFactory"));
    Files.move(jar, broken.resolve("broken.jar"));
    assertThatThrownBy(() -> start(Map.of("rl.server.plugins-dir", broken.toString()), Map.of()))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("a plugin cannot be loaded")
        .hasMessageContaining("com.acme.NoSuchFactory");

    Path damaged = Files.createDirectory(directory.resolve("damaged"));
    byte[] whole = Files.readAllBytes(plugins.resolve("acme.jar"));
    Files.write(damaged.resolve("acme.jar"), Arrays.copyOf(whole, whole.length / 2));
    assertThatThrownBy(() -> start(Map.of("rl.server.plugins-dir", damaged.toString()), Map.of()))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.server.plugins-dir: ")
        .hasMessageContaining("acme.jar is not a readable jar");
  }
}
