package dev.redline.samples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.LoopbackClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A copy of the sample that {@code mvn quarkus:dev} runs. The goal needs Maven 3.9, which is
 * unpacked first, and the artifacts of this project in a repository: a folder of the test has those
 * of the checkout, and the local repository of the build has all others.
 */
final class DevelopmentMode implements AutoCloseable {
  private static final String MAVEN = "3.9.11";
  private static final Duration PATIENCE = Duration.ofMinutes(8);
  private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");
  private static final Pattern PARENT = Pattern.compile("(?s)<parent>.*?</parent>");
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(.+?)</artifactId>");
  private static final Pattern VERSION = Pattern.compile("<version>(.+?)</version>");
  private static final Path SAMPLE = Path.of("").toAbsolutePath();
  private static final Path CHECKOUT = SAMPLE.getParent().getParent();

  private final Path folder;
  private final Path output;
  private final URI base;
  private final Process process;

  private DevelopmentMode(Path folder, int port) throws IOException {
    this.folder = folder;
    this.output = folder.resolve("output.log");
    this.base = URI.create("http://127.0.0.1:" + port);
    this.process = run();
  }

  /**
   * Starts the application, and waits for its first response.
   *
   * @param folder where its files are; what is there already may be replaced
   * @param rules the document in {@code rules.yaml}
   */
  static DevelopmentMode start(Path folder, int port, String rules) throws Exception {
    Files.createDirectories(folder);
    unpackMaven(folder);
    copySample(folder, port, rules);
    layOutArtifacts(folder.resolve("repository"));
    DevelopmentMode application = new DevelopmentMode(folder, port);
    try {
      application.awaitStarted();
      return application;
    } catch (Throwable e) {
      application.close();
      throw e;
    }
  }

  private static String ofBuild(String property) {
    return System.getProperty(property);
  }

  private static void unpackMaven(Path folder) throws IOException, InterruptedException {
    Path output = folder.resolve("unpack.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(ofBuild("maven.home"), "bin", "mvn").toString());
    command.add("-B");
    command.add("org.apache.maven.plugins:maven-dependency-plugin:3.9.0:unpack");
    command.add("-Dartifact=org.apache.maven:apache-maven:" + MAVEN + ":zip:bin");
    command.add("-DoutputDirectory=" + folder.resolve("maven"));
    command.add("-Dmaven.repo.local=" + ofBuild("maven.repo.local"));
    Process unpacking =
        withoutMavenVariables(new ProcessBuilder(command))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(unpacking.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(unpacking.exitValue()).as(Files.readString(output)).isZero();
  }

  private static ProcessBuilder withoutMavenVariables(ProcessBuilder builder) {
    builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder;
  }

  private static void copySample(Path folder, int port, String rules) throws IOException {
    Path application = folder.resolve("application");
    Path sources = SAMPLE.resolve("src/main");
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        copy(file, application.resolve("src/main").resolve(sources.relativize(file)));
      }
    }
    Files.writeString(
        application.resolve("pom.xml"),
        Files.readString(SAMPLE.resolve("pom.xml"))
            .replaceFirst("<relativePath>.*</relativePath>", "<relativePath/>"));
    // Makes it a project of its own, with the options that the compiler needs.
    copy(CHECKOUT.resolve(".mvn/jvm.config"), application.resolve(".mvn/jvm.config"));
    Path rulesFile = folder.resolve("rules.yaml");
    Files.writeString(rulesFile, rules);
    edit(
        application.resolve("src/main/resources/application.properties"),
        text ->
            text.replace("quarkus.http.port=8088", "quarkus.http.port=" + port)
                + "\nrl.config.path="
                + rulesFile
                + "\n");
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void edit(Path file, UnaryOperator<String> change) throws IOException {
    String before = Files.readString(file);
    String after = change.apply(before);
    assertThat(after).isNotEqualTo(before);
    Files.writeString(file, after);
  }

  /** Copies POMs, and the jars that were built, to the places that they have in a repository. */
  private static void layOutArtifacts(Path repository) throws IOException {
    String rootPom = Files.readString(CHECKOUT.resolve("pom.xml"));
    String version = found(VERSION, rootPom);
    List<Path> modules = new ArrayList<>(List.of(CHECKOUT));
    MODULE.matcher(rootPom).results().forEach(each -> modules.add(CHECKOUT.resolve(each.group(1))));
    for (Path module : modules) {
      Path pom = module.resolve("pom.xml");
      String artifact = found(ARTIFACT, PARENT.matcher(Files.readString(pom)).replaceFirst(""));
      String name = artifact + "-" + version;
      Path place = repository.resolve("dev/redline").resolve(artifact).resolve(version);
      copy(pom, place.resolve(name + ".pom"));
      Path jar = module.resolve("target").resolve(name + ".jar");
      if (Files.exists(jar)) {
        copy(jar, place.resolve(name + ".jar"));
      }
    }
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).isTrue();
    return matcher.group(1);
  }

  private Process run() throws IOException {
    List<String> command = new ArrayList<>();
    command.add("sh");
    command.add(folder.resolve("maven/apache-maven-" + MAVEN + "/bin/mvn").toString());
    command.add("-B");
    // Where the machine says how to reach repositories
    command.add("-gs");
    command.add(Path.of(ofBuild("maven.home"), "conf", "settings.xml").toString());
    command.add("-Dmaven.repo.local=" + folder.resolve("repository"));
    command.add("-Dmaven.repo.local.tail=" + ofBuild("maven.repo.local"));
    command.add("-Ddebug=false");
    command.add("-Dquarkus.analytics.disabled=true");
    command.add("-Dquarkus.test.continuous-testing=disabled");
    command.add("quarkus:dev");
    return withoutMavenVariables(new ProcessBuilder(command))
        .directory(folder.resolve("application").toFile())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private void awaitStarted() {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptionsInstanceOf(UncheckedIOException.class)
        .failFast(() -> assertThat(process.isAlive()).as(this::output).isTrue())
        .until(() -> get("/free").status() == 200);
  }

  private String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI uri(String path) {
    return base.resolve(path);
  }

  LoopbackClient.Response get(String path) {
    return new LoopbackClient(base).get(path);
  }

  /** Returns how often the application has been started, by what Quarkus wrote. */
  long starts() {
    return output().lines().filter(line -> line.contains(" started in ")).count();
  }

  void editRules(UnaryOperator<String> change) throws IOException {
    edit(folder.resolve("rules.yaml"), change);
  }

  void editProperties(UnaryOperator<String> change) throws IOException {
    edit(folder.resolve("application/src/main/resources/application.properties"), change);
  }

  @Override
  public void close() {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroy);
    for (ProcessHandle each : all) {
      each.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }
  }
}
