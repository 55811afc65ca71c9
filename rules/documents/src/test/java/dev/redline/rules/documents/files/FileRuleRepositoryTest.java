package dev.redline.rules.documents.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.core.spi.RuleRepository.RevisionHeader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileRuleRepositoryTest {
  private static final Instant NOW = Instant.parse("2026-11-15T12:00:00.123Z");
  private static final String DOCUMENT = "{\"rules\":[\n {\"id\":\"ä\\n\"}]}\n\n";

  @TempDir Path temporary;
  private Path directory;
  private FileRuleRepository repository;

  @BeforeEach
  void open() {
    directory = temporary.resolve("data").resolve("rules");
    repository = new FileRuleRepository(directory);
  }

  private static Revision revision(long version, String document) {
    return new Revision(version, document, NOW, "ci", "rule 'a' created: \"é\"");
  }

  private static AuditEntry entry(String action) {
    return new AuditEntry(
        NOW, "ci", action, Optional.of("a"), Optional.empty(), Optional.of("{\"id\":\"a\"}"));
  }

  private boolean write(long expected, long version) throws IOException {
    return repository.write(expected, revision(version, DOCUMENT), entry("v" + version));
  }

  private List<String> actions() throws IOException {
    return repository.audit(100).stream().map(AuditEntry::action).toList();
  }

  @Test
  void createsNoFileBeforeTheFirstWrite() throws IOException {
    assertThat(repository.load()).isEmpty();
    assertThat(repository.newest()).isEmpty();
    assertThat(repository.revisions(10)).isEmpty();
    assertThat(repository.audit(10)).isEmpty();
    assertThat(directory).doesNotExist();
  }

  @Test
  void readsHeadersWithoutTheirDocuments() throws IOException {
    write(0, 1);
    write(1, 2);
    Path newest = directory.resolve("2.revision");
    String header = Files.readAllLines(newest).get(0);
    // Larger than any array: reading the whole file fails.
    try (RandomAccessFile file = new RandomAccessFile(newest.toFile(), "rw")) {
      file.setLength(header.getBytes(UTF_8).length + 1L);
      file.setLength(3L << 30);
    }

    assertThat(repository.headers(100))
        .containsExactly(
            RevisionHeader.of(revision(2, DOCUMENT)), RevisionHeader.of(revision(1, DOCUMENT)));
    assertThat(repository.headers(1)).hasSize(1);
  }

  @Test
  void ignoresFileWhoseNumberIsTooLarge() throws IOException {
    write(0, 1);
    Files.writeString(directory.resolve("9999999999999999999.revision"), "{}\n");

    assertThat(repository.newest()).contains(revision(1, DOCUMENT));
    assertThat(write(1, 2)).isTrue();
  }

  @Test
  void keepsWrittenBytesAcrossProcesses() throws IOException {
    assertThat(write(0, 7)).isTrue();

    FileRuleRepository next = new FileRuleRepository(directory);
    assertThat(next.newest()).contains(revision(7, DOCUMENT));
    assertThat(next.revision(7)).contains(revision(7, DOCUMENT));
    assertThat(next.revision(6)).isEmpty();
    assertThat(next.audit(10)).containsExactly(entry("v7"));
    assertThat(next.load().orElseThrow().documents().get(0).content()).isEqualTo(DOCUMENT);
  }

  @Test
  void rejectsSecondWriteFromTheSameRevision() throws IOException {
    assertThat(write(0, 1)).isTrue();
    assertThat(new FileRuleRepository(directory).write(0, revision(2, "x"), entry("late")))
        .isFalse();

    assertThat(repository.newest().orElseThrow().version()).isEqualTo(1);
    assertThat(actions()).containsExactly("v1");
    assertThatThrownBy(() -> write(1, 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void concurrentWritersLoseNothing() throws Exception {
    int writers = 8;
    int each = 10;
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      Callable<Integer> writer =
          () -> {
            FileRuleRepository own = new FileRuleRepository(directory);
            start.await();
            int lost = 0;
            for (int done = 0; done < each; ) {
              long newest = own.newest().map(Revision::version).orElse(0L);
              boolean written = own.write(newest, revision(newest + 1, "n" + newest), entry("w"));
              done += written ? 1 : 0;
              lost += written ? 0 : 1;
            }
            return lost;
          };
      List<Future<Integer>> all =
          IntStream.range(0, writers).mapToObj(i -> threads.submit(writer)).toList();
      start.countDown();
      for (Future<Integer> one : all) {
        assertThat(one.get(60, TimeUnit.SECONDS)).isNotNegative();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(repository.newest().orElseThrow().version()).isEqualTo((long) writers * each);
    assertThat(repository.audit(1000)).hasSize(writers * each);
  }

  @Test
  void overwritesPartiallyWrittenRevision() throws IOException {
    write(0, 1);
    write(1, 2);
    Path newest = directory.resolve("2.revision");
    byte[] whole = Files.readAllBytes(newest);
    Files.write(newest, java.util.Arrays.copyOf(whole, whole.length - 3));

    FileRuleRepository next = new FileRuleRepository(directory);
    assertThat(next.newest().orElseThrow().version()).isEqualTo(1);
    assertThat(next.audit(10)).containsExactly(entry("v1"));
    assertThat(next.write(1, revision(2, "again"), entry("again"))).isTrue();
    assertThat(next.newest().orElseThrow().document()).isEqualTo("again");
    assertThat(actions()).containsExactly("again", "v1");
  }

  @Test
  void cutsOffPartiallyWrittenAuditLine() throws IOException {
    write(0, 1);
    Files.writeString(
        directory.resolve("audit.log"), "0000 2 {\"at\":17", StandardOpenOption.APPEND);

    assertThat(actions()).containsExactly("v1");
    repository.note(entry("reload"));
    assertThat(actions()).containsExactly("reload", "v1");
  }

  @Test
  void keepsBoundedNumberOfRevisions() throws IOException {
    for (int i = 0; i < 110; i++) {
      write(i, i + 1);
    }

    assertThat(repository.revisions(1000)).hasSize(100);
    assertThat(repository.revisions(3))
        .extracting(Revision::version)
        .containsExactly(110L, 109L, 108L);
    assertThat(repository.revision(10)).isEmpty();
    assertThat(repository.audit(2)).extracting(AuditEntry::action).containsExactly("v110", "v109");
  }

  @Test
  void keepsBoundedNumberOfAuditEntries() throws IOException {
    for (int i = 0; i < 2002; i++) {
      repository.note(entry("n" + i));
    }

    assertThat(repository.audit(5000)).hasSizeBetween(1000, 2000);
    assertThat(repository.audit(1).get(0).action()).isEqualTo("n2001");
  }

  @Test
  void filesAreReadableByTheirOwnerOnly() throws IOException {
    write(0, 1);
    repository.note(entry("reload"));

    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as(file.toString())
            .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
      }
    }
  }

  @Test
  void waitEndsWithAChangeByOthers() throws Exception {
    try (FileRuleRepository watching = new FileRuleRepository(directory)) {
      watching.load();
      long started = System.nanoTime();
      watching.awaitChange(Duration.ofMillis(100));
      assertThat(Duration.ofNanos(System.nanoTime() - started))
          .isGreaterThanOrEqualTo(Duration.ofMillis(100));

      write(0, 1);
      assertTimeoutPreemptively(
          Duration.ofSeconds(10), () -> watching.awaitChange(Duration.ofMinutes(1)));
      assertThat(watching.load()).isPresent();
    }
  }
}
