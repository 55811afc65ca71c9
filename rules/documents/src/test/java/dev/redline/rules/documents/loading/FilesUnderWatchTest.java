package dev.redline.rules.documents.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.memory.LocalStore;
import dev.redline.rules.documents.files.FileConfigProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and mounted volumes, changed in all the ways that editors, tools and Kubernetes know. */
class FilesUnderWatchTest {
  /** Far longer than a test, so that only the watch can detect a change. */
  private static final Duration NEVER = Duration.ofHours(1);

  /** Watching takes well under a second; a busy machine may take longer. */
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir Path directory;

  private final LoadCounts metrics = new LoadCounts();
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine = RateLimitEngine.builder(store).build();
  private RuleLoader loader;
  private RuleReloading reloading;

  @AfterEach
  void close() {
    if (reloading != null) {
      reloading.close();
    }
    loader.close();
    store.close();
  }

  private void follow(Path path, Duration polling, boolean watch) {
    follow(RuleSource.ofFiles(new FileConfigProvider(path)), polling, watch);
  }

  private void follow(RuleSource source, Duration polling, boolean watch) {
    loader = RuleLoader.builder(engine, List.of(source)).metrics(metrics).build();
    loader.start();
    reloading = RuleReloading.start(loader, polling, watch);
  }

  private static String rule(String id) {
    return "rules: [{ id: " + id + ", limit: 1/d }]\n";
  }

  private void awaitRule(String id) {
    await().atMost(SOON).until(() -> engine.book().rule(id).isPresent());
  }

  @Test
  void followsFileThatIsWrittenReplacedDeletedAndRecreated() throws IOException {
    Path file = Files.writeString(directory.resolve("rules.yaml"), rule("a"));
    follow(file, NEVER, true);

    Files.writeString(file, rule("b"));
    awaitRule("b");
    Path other = Files.writeString(directory.resolve("other"), rule("c"));
    Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
    awaitRule("c");
    Files.delete(file);
    await().atMost(SOON).until(() -> !loader.status().errors().isEmpty());
    assertThat(engine.book().rule("c")).isPresent();
    Files.writeString(file, rule("d"));
    awaitRule("d");
    await().atMost(SOON).until(() -> loader.status().errors().isEmpty());
  }

  @Test
  void followsTargetOfALink() throws IOException {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Path file = Files.writeString(elsewhere.resolve("real.yaml"), rule("a"));
    Path link = Files.createSymbolicLink(directory.resolve("rules.yaml"), file);
    follow(link, NEVER, true);

    Files.writeString(file, rule("b"));

    awaitRule("b");
  }

  @Test
  void followsAllFilesOfADirectory() throws IOException {
    Files.writeString(directory.resolve("a.yaml"), rule("a"));
    follow(directory, NEVER, true);

    Files.writeString(directory.resolve("b.properties"), "rules[0].id=b\nrules[0].limit=1/d\n");
    awaitRule("b");
    Files.delete(directory.resolve("a.yaml"));
    await().atMost(SOON).until(() -> engine.book().rule("a").isEmpty());
  }

  @Test
  void detectsChangesByPollingAlone() throws IOException {
    Path file = Files.writeString(directory.resolve("rules.yaml"), rule("a"));
    follow(file, Duration.ofMillis(100), false);

    Files.writeString(file, rule("b"));

    awaitRule("b");
  }

  /** Updates the mount like the kubelet: a new directory, then one rename of the link to it. */
  private void mount(int version, String first, String second) throws IOException {
    Path data = Files.createDirectory(directory.resolve("..2026_" + version));
    Files.writeString(data.resolve("first.yaml"), first);
    Files.writeString(data.resolve("second.yaml"), second);
    Path link = directory.resolve("..data_tmp");
    Files.createSymbolicLink(link, data.getFileName());
    Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    for (String name : new String[] {"first.yaml", "second.yaml"}) {
      if (!Files.isSymbolicLink(directory.resolve(name))) {
        Files.createSymbolicLink(directory.resolve(name), Path.of("..data", name));
      }
    }
    Path old = directory.resolve("..2026_" + (version - 1));
    if (Files.exists(old)) {
      Files.delete(old.resolve("first.yaml"));
      Files.delete(old.resolve("second.yaml"));
      Files.delete(old);
    }
  }

  @Test
  void detectsEachOfTenConfigMapSwaps() throws IOException {
    mount(0, rule("first-0"), rule("second-0"));
    follow(directory, NEVER, true);
    long slowest = 0;
    for (int i = 1; i <= 10; i++) {
      int version = i;
      mount(version, rule("first-" + version), rule("second-" + version));
      long swapped = System.nanoTime();
      await()
          .pollInterval(Duration.ofMillis(10))
          .atMost(SOON)
          .until(() -> engine.book().rule("second-" + version).isPresent());
      slowest = Math.max(slowest, System.nanoTime() - swapped);
      assertThat(engine.book().rules()).hasSize(2);
      assertThat(engine.book().rule("first-" + version)).isPresent();
    }
    System.out.println("slowest of ten ConfigMap swaps: " + slowest / 1_000_000 + " ms");
    assertThat(loader.status().version()).isEqualTo(11);
    assertThat(metrics.bad).hasValue(0);
  }

  @Test
  void doesNotPollFrozenMount() throws IOException {
    mount(0, rule("a"), rule("b"));
    RuleSource mounted = RuleSource.ofFiles(new FileConfigProvider(directory)).frozen();
    follow(mounted, Duration.ofMillis(20), true);

    mount(1, rule("c"), rule("d"));
    await().during(Duration.ofMillis(600)).until(() -> engine.book().rule("a").isPresent());

    assertThat(loader.status().version()).isEqualTo(1);
    assertThat(loader.status().errors()).isEmpty();
  }
}
