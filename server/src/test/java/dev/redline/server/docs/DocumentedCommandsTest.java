package dev.redline.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every command that README and docs show, as written, against a real server. CONTRIBUTING.md says
 * how the blocks are read. Only ports are changed, and what {@code ./redline} would have to build.
 */
@Tag("debian") // curl
class DocumentedCommandsTest {
  private static final Set<String> SHELLS = Set.of("console", "sh");

  @TempDir Path directory;

  static Stream<Path> files() {
    return FencedBlock.files().stream()
        .filter(
            file ->
                FencedBlock.checkedIn(file).stream()
                    .anyMatch(block -> SHELLS.contains(block.language())));
  }

  @ParameterizedTest
  @MethodSource("files")
  void commandsPrintTheDocumentedOutput(Path file) throws Exception {
    assertThat(failures(FencedBlock.checkedIn(file))).isEmpty();
  }

  @Test
  void reportsFailuresAndDifferentOutput() throws Exception {
    List<String> lines =
        List.of(
            "$ curl localhost:9090/no-such-path",
            "$ A=1",
            "$ echo $A \\",
            "  2; echo 3",
            "1 …",
            "4",
            "$ cat <<end",
            "x",
            "end",
            "x");
    List<String> failures =
        failures(
            List.of(
                new FencedBlock("wrong.md:1", "console", true, lines),
                new FencedBlock("right.md:1", "sh", true, List.of("# A comment", "", "test $A"))));

    assertThat(failures).hasSize(2);
    assertThat(failures.get(0)).contains("curl localhost:9090/no-such-path", "status 22", "404");
    assertThat(failures.get(1)).contains("expected output", "1 …\n4", "1 2\n3");
  }

  private List<String> failures(List<FencedBlock> blocks) throws Exception {
    prepareLauncher();
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      Map<String, String> ports =
          Map.of(
              "8080",
              Integer.toString(freePort()),
              "9090",
              Integer.toString(freePort()),
              "6379",
              Integer.toString(redis.port()));
      ShellSession session =
          new ShellSession(
              directory,
              Map.of(
                  "RL_SERVER_PORT", ports.get("8080"),
                  "RL_SERVER_MANAGEMENT_PORT", ports.get("9090"),
                  "RL_REDIS_URI", redis.uri(),
                  "RL_REDIS_CONNECT_TIMEOUT", "20s"));
      session.write("rules.yaml", exampleRules());
      add(
          session,
          new ShellCommand("before the first command", "./redline serve", List.of()),
          ports);
      for (FencedBlock block : blocks) {
        if (block.language().equals("yaml")) {
          session.write("rules.yaml", block.text());
        } else if (SHELLS.contains(block.language())) {
          ShellCommand.of(block).forEach(command -> add(session, command, ports));
        }
      }
      return failures(session);
    }
  }

  private static void add(ShellSession session, ShellCommand command, Map<String, String> ports) {
    String text = command.text();
    for (Map.Entry<String, String> port : ports.entrySet()) {
      text = text.replaceAll("\\b" + port.getKey() + "\\b", port.getValue());
    }
    session.add(command, text);
  }

  private static List<String> failures(ShellSession session) throws Exception {
    List<String> failures = new ArrayList<>();
    for (ShellSession.Outcome outcome : session.run()) {
      ShellCommand command = outcome.command();
      boolean asShown =
          command.output().isEmpty()
              ? outcome.status() == 0
              : command.expected().matcher(outcome.output()).matches();
      if (!asShown) {
        failures.add(
            """
            %s: %s
            expected output:
            %s
            status %d, output:
            %s
            %s"""
                .formatted(
                    command.place(),
                    command.text(),
                    String.join("\n", command.output()),
                    outcome.status(),
                    outcome.output(),
                    outcome.errors()));
      }
    }
    return failures;
  }

  /** Writes a {@code ./redline} that runs the classes of this build; the jar is built later. */
  private void prepareLauncher() throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path launcher =
        Files.writeString(
            directory.resolve("redline"),
            "#!/bin/sh\nexec '%s' -cp '%s' dev.redline.server.cli.Redline \"$@\"\n"
                .formatted(java, System.getProperty("java.class.path")));
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
  }

  private static String exampleRules() throws IOException {
    try (InputStream in =
        DocumentedCommandsTest.class.getResourceAsStream(
            "/dev/redline/server/rules/example-rules.yaml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
