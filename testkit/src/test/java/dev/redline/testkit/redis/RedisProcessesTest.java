package dev.redline.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No process and no folder of the test kit outlives its purpose. */
@Tag("faults")
@Timeout(120)
class RedisProcessesTest {
  @TempDir Path temporary;
  @TempDir Path scripts;

  private final List<ProcessHandle> started = new ArrayList<>();
  private Process jvm;

  @AfterEach
  void end() {
    started.forEach(ProcessHandle::destroyForcibly);
  }

  /** Runs {@link RedisHolder} and returns its first line. */
  private String hold(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                RedisHolder.class.getName()));
    command.addAll(List.of(arguments));
    jvm = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output = jvm.inputReader();
    String line = output.readLine();
    started.add(jvm.toHandle());
    started.addAll(jvm.descendants().toList());
    return line;
  }

  /** Makes a redis-server that runs the embedded one if the shell condition holds, else fails. */
  private String failingUnless(String condition) throws IOException {
    Path server = RedisBinary.embedded().installIn(scripts);
    Path script = scripts.resolve("failing-redis-server");
    Files.writeString(
        script, "#!/bin/sh\nif " + condition + "; then exec '" + server + "' \"$@\"; fi\nexit 1\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script.toString();
  }

  private List<Path> folders() {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"server,1", "paused,1", "sentinel,5", "cluster,3"})
  void endWithAKilledJvm(String what, int servers) throws Exception {
    assertThat(hold(what)).isEqualTo("started");
    assertThat(folders()).hasSize(servers);
    assertThat(started).hasSizeGreaterThan(servers);

    jvm.destroyForcibly();
    assertThat(jvm.waitFor(10, TimeUnit.SECONDS)).isTrue();

    RedisCluster.await("end", () -> started.stream().noneMatch(RedisProcessesTest::runs));
    RedisCluster.await("removal of folders", () -> folders().isEmpty());
  }

  /**
   * An ended process without a parent is a zombie until process 1 collects it; it has no command.
   */
  private static boolean runs(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }

  @Test
  void endWhenTheServerDoesNotStart() throws IOException {
    assertThat(hold("invalid")).isEqualTo("failed");
    assertNothingIsLeft();
  }

  @Test
  void endWhenTheReplicaDoesNotStart() throws IOException {
    assertThat(hold("sentinel", failingUnless("! echo \"$*\" | grep -q replicaof")))
        .isEqualTo("failed");
    assertNothingIsLeft();
  }

  @Test
  void endWhenASentinelDoesNotStart() throws IOException {
    assertThat(hold("sentinel", failingUnless("! echo \"$*\" | grep -q sentinel")))
        .isEqualTo("failed");
    assertNothingIsLeft();
  }

  @Test
  void endWhenTheThirdNodeOfAClusterDoesNotStart() throws IOException {
    String starts = scripts.resolve("starts").toString();
    String binary =
        failingUnless("echo >> '" + starts + "'; test \"$(wc -l < '" + starts + "')\" -lt 3");
    assertThat(hold("cluster", binary)).isEqualTo("failed");
    assertNothingIsLeft();
  }

  private void assertNothingIsLeft() {
    assertThat(jvm.isAlive()).isTrue();
    assertThat(jvm.descendants()).isEmpty();
    assertThat(folders()).isEmpty();
  }

  @Test
  void aKilledServerStartsAgainInItsFolder() {
    try (RedisServer server = RedisServer.start(RedisBinary.embedded())) {
      Path folder = server.folder();
      server.kill();
      assertThat(server.isAlive()).isFalse();
      assertThat(folder).exists();
      server.restart();
      assertThat(server.isAlive()).isTrue();
      assertThat(server.command("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void detectsAServerThatHasEnded() {
    try (RedisServer server = RedisServer.start(RedisBinary.embedded())) {
      ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
      RedisCluster.await("end", () -> !server.isAlive());
    }
  }
}
