package dev.redline.rules.documents.loading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.memory.LocalStore;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which warnings of documents a loader logs. */
class LoggedWarningsTest {
  private static final String WITH_WARNING = "- { id: a, limit: 1/s, path: /api/* }\n";

  private final Logger logger = Logger.getLogger(RuleLoader.class.getName());
  private final List<String> warnings = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          if (record.getLevel().equals(Level.WARNING)) {
            warnings.add(record.getMessage());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private final MemorySource first = new MemorySource("first");
  private final MemorySource second = new MemorySource("second");
  private final LocalStore store = new LocalStore();
  private final RuleLoader loader =
      RuleLoader.builder(
              RateLimitEngine.builder(store).build(), List.of(source(first), source(second)))
          .build();

  private static RuleSource source(MemorySource source) {
    return new RuleSource(
        source,
        RuleDocumentReader.withPlaceholders(name -> null),
        false,
        /* live= */ true,
        /* overlay= */ false);
  }

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void close() {
    logger.removeHandler(handler);
    store.close();
  }

  @Test
  void logsWarningsOfValidDocumentOnce() {
    first.content = WITH_WARNING;
    for (int i = 0; i < 3; i++) {
      second.content = "- { id: b" + i + ", limit: 1/s }";
      loader.load();
    }
    assertThat(warnings).hasSize(1);
  }

  @Test
  void logsNoWarningsOfRejectedDocument() {
    first.content = WITH_WARNING + "- { id: bad, limit: 0/s }\n";
    for (int i = 0; i < 3; i++) {
      second.content = "- { id: b" + i + ", limit: 1/s }";
      assertThat(loader.load().errors()).isNotEmpty();
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void logsOnceThatAnUnneededStartingDocumentIsInvalid() {
    MemorySource starting = new MemorySource("starting");
    starting.content = "- { id: bad, limit: 0/s }";
    second.content = "- { id: b, limit: 1/s }";
    RuleLoader started =
        RuleLoader.builder(RateLimitEngine.builder(store).build(), List.of(source(second)))
            .startingWith(source(starting))
            .build();

    started.start();
    started.reload();
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith(
            "the starting document is not needed, and has an error: starting:1: rule 'bad': ");
  }
}
