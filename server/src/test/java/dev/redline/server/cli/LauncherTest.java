package dev.redline.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The {@code redline} script, with fakes of Maven and Java that print how they were called. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class LauncherTest {
  @TempDir Path directory;

  private Path checkout;
  private Path elsewhere;

  @BeforeEach
  void makeACheckout() throws IOException {
    checkout = Files.createDirectory(directory.resolve("a check out"));
    elsewhere = Files.createDirectory(directory.resolve("else where"));
    Files.copy(Path.of("..", "redline"), checkout.resolve("redline"));
    executable(checkout.resolve("redline"));
    write("pom.xml", "<project/>");
    module("server", "redline-core", "redline-rules-documents");
    module("core");
    module("rules/documents", "redline-core");
    module("bench", "redline-core");
    write(
        "jdk/bin/java",
        "#!/bin/sh\necho \"java in $(pwd)\"\nfor word in \"$@\"; do echo \"[$word]\"; done\n");
    write(
        "mvn",
        """
        #!/bin/sh
        echo "mvn $*"
        mkdir -p "$4/target"
        touch "$4/target/redline-$(echo "$4" | tr / -).jar"
        """);
    executable(checkout.resolve("jdk/bin/java"));
    executable(checkout.resolve("mvn"));
  }

  private void module(String path, String... dependencies) throws IOException {
    StringBuilder pom = new StringBuilder("<project>");
    for (String dependency : dependencies) {
      pom.append("\n<artifactId>").append(dependency).append("</artifactId>");
    }
    write(path + "/pom.xml", pom.append("\n</project>\n").toString());
    write(path + "/src/main/java/Some.java", "class Some {}");
  }

  private void write(String path, String content) throws IOException {
    Path file = checkout.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private List<String> run(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of(checkout.resolve("redline").toString()));
    command.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(elsewhere.toFile()).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", checkout.resolve("jdk").toString());
    builder.environment().put("MAVEN", checkout.resolve("mvn").toString());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.lines().toList();
  }

  @Test
  void buildsMissingJarAndRunsItInTheWorkingDirectoryWithTheGivenArguments() throws Exception {
    List<String> lines = run("serve", "--rules", "my rules.yaml");

    assertThat(lines)
        .contains("redline: building server, which takes a few minutes the first time …")
        .contains("mvn -q -B -pl server -am -DskipTests package")
        .contains("java in " + elsewhere.toRealPath())
        .containsSequence(
            "[-jar]",
            "[" + checkout.toRealPath().resolve("server/target/redline-server.jar") + "]",
            "[serve]",
            "[--rules]",
            "[my rules.yaml]");
  }

  @Test
  void doesNotRebuildUpToDateJar() throws Exception {
    run("validate", "x");

    assertThat(run("validate", "x")).noneMatch(line -> line.startsWith("mvn"));
  }

  @Test
  void rebuildsWhenAnyModuleChanged() throws Exception {
    run("validate", "x");
    for (String changed :
        List.of(
            "rules/documents/src/main/java/Some.java",
            "core/pom.xml",
            "pom.xml",
            "server/src/main/java/Some.java")) {
      Files.setLastModifiedTime(
          checkout.resolve(changed), FileTime.from(Instant.now().plusSeconds(5)));
      assertThat(run("validate", "x")).as(changed).anyMatch(line -> line.startsWith("mvn"));
      Files.setLastModifiedTime(
          checkout.resolve(changed), FileTime.from(Instant.now().minusSeconds(60)));
    }
    Files.setLastModifiedTime(
        checkout.resolve("bench/src/main/java/Some.java"),
        FileTime.from(Instant.now().plusSeconds(5)));
    assertThat(run("validate", "x")).noneMatch(line -> line.startsWith("mvn"));
  }

  @Test
  void runsSampleOnItsPortWithOptionsOfTheApplication() throws Exception {
    module("samples/quickstart", "redline-core");

    assertThat(run("sample", "quickstart", "--port", "9000", "--rl.enabled=false"))
        .contains("mvn -q -B -pl samples/quickstart -am -DskipTests package")
        .containsSequence(
            "["
                + checkout
                    .toRealPath()
                    .resolve("samples/quickstart/target/redline-samples-quickstart.jar")
                + "]",
            "[--server.port=9000]",
            "[--rl.enabled=false]");
    assertThat(run("sample", "quickstart")).contains("[--server.port=8088]");
    assertThat(run("sample", "--help")).anyMatch(line -> line.contains("quickstart"));
  }

  @Test
  void runsQuarkusSampleWithOptionsAsSystemProperties() throws Exception {
    module("samples/quarkus", "redline-core");

    assertThat(run("sample", "quarkus", "--port", "9000", "--rl.enabled=false"))
        .contains("mvn -q -B -pl samples/quarkus -am -DskipTests package")
        .containsSequence(
            "[-Dquarkus.http.port=9000]",
            "[-Drl.enabled=false]",
            "[-jar]",
            "["
                + checkout
                    .toRealPath()
                    .resolve("samples/quarkus/target/quarkus-app/quarkus-run.jar")
                + "]");
  }

  @Test
  void runsBenchmarksFromTheirOwnJar() throws Exception {
    assertThat(run("bench", "local", "--quick"))
        .contains("mvn -q -B -pl bench -am -DskipTests package")
        .containsSequence(
            "[" + checkout.toRealPath().resolve("bench/target/redline-bench.jar") + "]",
            "[local]",
            "[--quick]");
  }

  @Test
  void buildsWhatTheBenchmarkOfQuarkusComparesAndRunsIt() throws Exception {
    for (String module :
        List.of("bench/quarkus", "bench/quarkus-plain", "bench/spring", "samples/quarkus")) {
      module(module, "redline-core");
    }
    String built = "mvn -q -B -pl %s -am -DskipTests package";

    assertThat(run("bench", "quarkus", "--help"))
        .contains(built.formatted("bench/quarkus"))
        .doesNotContain(built.formatted("bench/spring"));
    assertThat(run("bench", "quarkus", "--quick"))
        .contains(
            built.formatted("bench/quarkus-plain"),
            built.formatted("bench/spring"),
            built.formatted("samples/quarkus"))
        .containsSequence(
            "[-Dredline.checkout=" + checkout.toRealPath() + "]",
            "[-jar]",
            "["
                + checkout.toRealPath().resolve("bench/quarkus/target/quarkus-app/quarkus-run.jar")
                + "]",
            "[--quick]");
  }

  @Test
  void runsThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(elsewhere.resolve("rl"), checkout.resolve("redline"));
    ProcessBuilder builder = new ProcessBuilder(link.toString(), "help").redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", checkout.resolve("jdk").toString());
    builder.environment().put("MAVEN", checkout.resolve("mvn").toString());
    Process process = builder.start();

    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(output).contains("[help]");
    assertThat(process.waitFor()).isZero();
  }
}
