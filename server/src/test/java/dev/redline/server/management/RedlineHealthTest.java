package dev.redline.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RuleSource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedlineHealthTest {
  /** A source whose failure has a long text of several lines. */
  private static final class TalkativeSource implements ConfigProvider {
    @Override
    public String name() {
      return "talkative";
    }

    @Override
    public Optional<Snapshot> load() throws IOException {
      throw new IOException("many\nlines\n" + "x".repeat(1_000_000));
    }
  }

  @Test
  void errorIsOneLineOfBoundedLength() {
    try (LocalStore store = new LocalStore();
        RateLimitEngine engine = RateLimitEngine.builder(store).build();
        RuleLoader loader =
            RuleLoader.builder(engine, List.of(RuleSource.dynamic(new TalkativeSource())))
                .build()) {
      loader.load();
      Object rules =
          new RedlineHealth(loader, store, MissingRules.ALLOW).health().getDetails().get("rules");

      assertThat(rules).isInstanceOf(Map.class);
      assertThat(String.valueOf(((Map<?, ?>) rules).get("error")))
          .startsWith("talkative: many lines xxx")
          .endsWith("… (1 error)")
          .hasSizeLessThan(1100)
          .hasLineCount(1);
    }
  }
}
