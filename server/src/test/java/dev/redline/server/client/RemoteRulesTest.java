package dev.redline.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.rule.RuleBook;
import dev.redline.server.TestServer;
import dev.redline.server.wiring.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Source REMOTE_API on a real service: while it fails, the last good rules stay in force. */
@Tag("faults")
@Timeout(120)
class RemoteRulesTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path directory;
  private Path file;
  private int port;

  @BeforeEach
  void choosePort() throws IOException {
    file = directory.resolve("rules.yaml");
    port = RemoteApplication.freePort();
  }

  private TestServer server(String viewer) {
    Map<String, String> flags = new HashMap<>(TestServer.onFreePorts());
    flags.put("rl.config.path", file.toString());
    flags.put("rl.server.port", Integer.toString(port));
    flags.put("rl.admin.tokens.app.role", "viewer");
    flags.put("rl.admin.tokens.app.value", viewer);
    return TestServer.start(new ServerOptions(flags, Map.of(), Optional.empty()));
  }

  private RedlineAssembly application() {
    Map<String, String> properties =
        Map.of(
            "rl.config.source",
            "REMOTE_API",
            "rl.config.remote.uri",
            "http://localhost:" + port,
            "rl.config.remote.token",
            RemoteApplication.ADMIN);
    ClassLoader loader = RemoteRulesTest.class.getClassLoader();
    return RedlineAssembly.builder(
            AssemblySettings.parse(properties, Plugins.load(loader), HostProfile.application()))
        .start();
  }

  private void write(String rule) throws IOException {
    Files.writeString(file, "rules: [{ id: " + rule + ", path: /x, limit: 1/h }]");
  }

  private static List<String> rules(RedlineAssembly application) {
    RuleBook book = application.engine().book();
    return book == null ? List.of() : book.rules().stream().map(rule -> rule.id()).toList();
  }

  private static String error(RedlineAssembly application) {
    return String.join("\n", application.rulesStatus().errors());
  }

  @Test
  void rulesFollowTheServerAndTheLastGoodOnesStay() throws Exception {
    write("first");
    TestServer server = server(RemoteApplication.ADMIN);
    try (RedlineAssembly application = application()) {
      assertThat(rules(application)).containsExactly("first");
      write("second");
      await().atMost(SOON).until(() -> rules(application).equals(List.of("second")));

      // The server keeps its last good rules, and so does the application.
      Files.writeString(file, "rules: [{ id: broken, limit: many }]");
      await()
          .atMost(SOON)
          .until(() -> server.get(server.management("/actuator/health")).body().contains("broken"));
      assertThat(rules(application)).containsExactly("second");
      server.close();

      await().atMost(SOON).until(() -> error(application).contains("does not answer"));
      assertThat(rules(application)).containsExactly("second");
      write("third");
      try (TestServer other = server("another-token-of-viewers")) {
        assertThat(other.server().port()).isEqualTo(port);
        await().atMost(SOON).until(() -> error(application).contains("rl.config.remote.token"));
        assertThat(error(application)).contains("401").doesNotContain(RemoteApplication.ADMIN);
        assertThat(rules(application)).containsExactly("second");
      }
      try (TestServer back = server(RemoteApplication.ADMIN)) {
        assertThat(back.server().port()).isEqualTo(port);
        await().atMost(SOON).until(() -> rules(application).equals(List.of("third")));
        await().atMost(SOON).until(() -> error(application).isEmpty());
      }
    } finally {
      server.close();
    }
  }

  @Test
  void rulesOfAServerThatComesLaterAreRead() throws Exception {
    try (RedlineAssembly application = application()) {
      assertThat(application.engine().book()).isNull();
      assertThat(error(application)).contains("http://localhost:" + port);
      write("late");
      try (TestServer server = server(RemoteApplication.ADMIN)) {
        assertThat(server.server().port()).isEqualTo(port);
        await().atMost(SOON).until(() -> rules(application).equals(List.of("late")));
      }
    }
  }
}
