package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.ConfigProvider.Snapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The contract every {@link ConfigProvider} must pass, as JUnit tests.
 *
 * <p>Implement it in a test class and create the source; JUnit finds the tests:
 *
 * <pre>{@code
 * class MySourceTest implements RuleSourceContract {
 *   public RuleSourceUnderTest newSource() {
 *     return new MySourceUnderTest();
 *   }
 * }
 * }</pre>
 */
public interface RuleSourceContract {
  /** How long a source may take to notice a change, or to end. */
  Duration PROMPTLY = Duration.ofSeconds(1);

  /** Creates a source that holds no document. */
  RuleSourceUnderTest newSource() throws Exception;

  /** A source that holds no document says so, and this is no failure. */
  @Test
  default void emptySourceHoldsNoDocument() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      assertThat(test.source().load()).isEmpty();
      assertThat(test.source().name()).isNotBlank();
    }
  }

  /** A document is returned as it was written, also if it is no valid rule document. */
  @Test
  default void returnsTextAsItWasWritten() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      for (String text : new String[] {"rules: []  # ü €\n", "{broken: [", "no rules at all"}) {
        test.write(text);
        assertThat(content(test)).isEqualTo(text);
      }
    }
  }

  /** An equal document has an equal version, and another document another version. */
  @Test
  default void versionChangesWithTheContentOnly() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      test.write("rules: []");
      String first = version(test.source());
      assertThat(version(test.source())).isEqualTo(first);
      test.write("rules: []");
      assertThat(version(test.source())).isEqualTo(first);
      test.write("rules: [] ");
      assertThat(version(test.source())).isNotEqualTo(first);
      test.write("rules: []");
      assertThat(version(test.source())).isEqualTo(first);
    }
  }

  /** A document of the largest size that the server accepts is read completely. */
  @Test
  default void readsLargeDocument() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      String comment = "# a line of 32 characters, and ü\n";
      String large = "rules: []\n" + comment.repeat(test.largestDocument() / 34 - 1);
      test.write(large);
      assertThat(content(test)).isEqualTo(large);
    }
  }

  /** A document that was removed is absent, and this is no failure; skipped if none can be. */
  @Test
  default void removedDocumentIsAbsent() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      test.write("rules: []");
      assertThat(test.source().load()).isPresent();
      assumeTrue(test.remove(), "the document of the source cannot be removed");
      assertThat(test.source().load()).isEmpty();
      test.write("rules: []");
      assertThat(test.source().load()).isPresent();
    }
  }

  /** A wait ends within a second of a change, whether it began before or after it. */
  @Test
  default void waitEndsSoonAfterAChange() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      test.write("rules: []");
      settle(test.source());
      for (int i = 0; i < 3; i++) {
        WaitingThread waiter = WaitingThread.start(test.source(), Duration.ofMinutes(1));
        waiter.assertStillWaiting();
        test.write("rules: [] # " + i);
        waiter.assertEndsPromptly();
        assertThat(content(test)).endsWith("# " + i);

        settle(test.source());
        test.write("rules: [] # changed before the wait " + i);
        WaitingThread late = WaitingThread.start(test.source(), Duration.ofMinutes(1));
        late.assertEndsPromptly();
        settle(test.source());
      }
    }
  }

  /** A wait without a change ends after its time. */
  @Test
  default void waitEndsAfterItsTime() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      test.write("rules: []");
      settle(test.source());
      WaitingThread waiter = WaitingThread.start(test.source(), Duration.ofMillis(300));
      waiter.assertEnds(Duration.ofMillis(300).plus(PROMPTLY.multipliedBy(3)));
    }
  }

  /** An interrupted wait ends within a second, as closing an application needs it. */
  @Test
  default void interruptedWaitEndsPromptly() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      test.write("rules: []");
      settle(test.source());
      WaitingThread waiter = WaitingThread.start(test.source(), Duration.ofMinutes(1));
      waiter.assertStillWaiting();
      waiter.interrupt();
      waiter.assertEndsPromptly();
      assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
    }
  }

  /**
   * While its server cannot be reached a source fails by its name, and then heals by itself;
   * skipped if it cannot be made unreachable.
   */
  @Test
  default void failsWhileUnreachableAndHeals() throws Exception {
    try (RuleSourceUnderTest test = newSource()) {
      test.write("rules: []");
      String version = version(test.source());
      assumeTrue(test.disconnect(), "the source cannot be made unreachable");
      assertThatThrownBy(() -> test.source().load())
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(test.source().name());
      test.reconnect();
      assertThat(healed(test.source())).isEqualTo(version);
      test.write("rules: [] # after it");
      assertThat(healed(test.source())).isNotEqualTo(version);
    }
  }

  private static String content(RuleSourceUnderTest test) throws IOException {
    return test.text(test.source().load().orElseThrow());
  }

  private static String version(ConfigProvider source) throws IOException {
    return source.load().orElseThrow().version();
  }

  /** Loads and waits until a wait lasts: the first ones may end at once. */
  private static void settle(ConfigProvider source) throws Exception {
    for (int i = 0; i < 50; i++) {
      source.load();
      long started = System.nanoTime();
      source.awaitChange(Duration.ofMillis(200));
      if (System.nanoTime() - started > Duration.ofMillis(150).toNanos()) {
        source.load();
        return;
      }
    }
    throw new AssertionError(source.name() + " reports changes although there are none");
  }

  /** Returns the version once the source can be read again. */
  private static String healed(ConfigProvider source) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (true) {
      try {
        Optional<Snapshot> snapshot = source.load();
        if (snapshot.isPresent()) {
          return snapshot.get().version();
        }
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }
}
