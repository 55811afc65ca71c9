package dev.redline.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.rules.documents.RuleDocumentReader;
import dev.redline.telemetry.micrometer.MicrometerMetricsExporter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RuleLoaderTest {
  private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final MicrometerMetricsExporter metrics = new MicrometerMetricsExporter(registry);
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine = RateLimitEngine.builder(store).metrics(metrics).build();
  private final Source source = new Source();
  private final RuleLoader loader =
      new RuleLoader(
          source,
          RuleDocumentReader.withoutPlaceholders(),
          IdentitySettings.DEFAULT,
          engine,
          metrics,
          Clock.fixed(NOW, ZoneOffset.UTC));

  @AfterEach
  void close() {
    store.close();
  }

  private double loads(String result) {
    return registry.get("ratelimit.rules.reload").tag("result", result).counter().count();
  }

  @Test
  void whatTheSourceHoldsComesIntoForce() {
    source.content = "version: 5\nrules: [{ id: a, path: /a, limit: 1/d }]";

    RulesStatus status = loader.load();

    assertThat(status).isEqualTo(new RulesStatus(5, Optional.of(NOW), List.of()));
    assertThat(engine.check(RequestContext.builder().path("/a").build()).ruleId()).hasValue("a");
    assertThat(registry.get("ratelimit.rules.version").gauge().value()).isEqualTo(5);
  }

  @Test
  void whatDidNotChangeIsNotReadAgain() {
    source.content = "rules: []";
    loader.load();
    RuleBook book = engine.book();

    loader.reload();

    assertThat(engine.book()).isSameAs(book);
    assertThat(loads("success")).isEqualTo(1);
  }

  @Test
  void aBrokenDocumentLeavesTheLastGoodOneInForceAndItsErrorsAreRemembered() {
    source.content = "rules: [{ id: a, path: /a, limit: 1/d }]";
    loader.load();
    RuleBook good = engine.book();

    source.content = "rules: [{ id: a, path: /a, limit: nonsense }]";
    loader.reload();

    assertThat(engine.book()).isSameAs(good);
    assertThat(loader.status().loaded()).isTrue();
    assertThat(loader.status().errors())
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith("test:1: rule 'a': "));
    assertThat(loads("failure")).isEqualTo(1);

    source.content = "rules: [{ id: b, path: /b, limit: 1/d }]";
    loader.reload();
    assertThat(loader.status()).isEqualTo(new RulesStatus(2, Optional.of(NOW), List.of()));
  }

  @Test
  void versionsOnlyGrow() {
    source.content = "version: 9\nrules: []";
    loader.load();
    source.content = "version: 3\nrules: [{ id: a, limit: 1/s }]";
    loader.load();

    assertThat(loader.status().version()).isEqualTo(10);
  }

  @Test
  void aSourceThatIsAwayKeepsItsLastRulesAndHealsByItself() {
    source.content = "rules: []";
    loader.load();

    source.content = null;
    loader.reload();
    assertThat(loader.status().errors()).containsExactly("test: there is no rule document");
    source.failure = new IOException("test: no answer");
    loader.reload();
    assertThat(loader.status().errors()).containsExactly("test: no answer");
    assertThat(engine.book()).isNotNull();

    source.failure = null;
    source.content = "rules: []";
    loader.reload();
    assertThat(loader.status().errors()).isEmpty();
  }

  @Test
  void theBundledExampleIsValid() {
    RuleLoader example =
        new RuleLoader(
            new ExampleRules(),
            RuleDocumentReader.withoutPlaceholders(),
            IdentitySettings.DEFAULT,
            engine,
            metrics,
            Clock.systemUTC());

    assertThat(example.load().errors()).isEmpty();
  }

  private static final class Source implements ConfigProvider {
    private String content;
    private IOException failure;

    @Override
    public String name() {
      return "test";
    }

    @Override
    public Optional<Snapshot> load() throws IOException {
      if (failure != null) {
        throw failure;
      }
      return Optional.ofNullable(content)
          .map(text -> new Snapshot(text, List.of(new Document("test", text))));
    }
  }
}
