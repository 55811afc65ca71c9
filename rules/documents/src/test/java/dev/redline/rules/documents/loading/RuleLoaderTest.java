package dev.redline.rules.documents.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleLoaderTest {
  private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

  private final LoadCounts metrics = new LoadCounts();
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine = RateLimitEngine.builder(store).metrics(metrics).build();
  private final MemorySource file = new MemorySource("file");
  private final MemorySource.Writable redis = new MemorySource.Writable("redis");
  private final RuleLoader loader = loader(required(file));
  private final RuleLoader both = loader(required(file), RuleSource.dynamic(redis));

  @AfterEach
  void close() {
    store.close();
  }

  private static RuleSource required(MemorySource source) {
    return new RuleSource(
        source,
        RuleDocumentReader.withPlaceholders(Map.of("BURST", "7")::get),
        /* required= */ true,
        /* live= */ true,
        /* overlay= */ false);
  }

  private RuleLoader loader(RuleSource... sources) {
    return builder(sources).build();
  }

  private RuleLoader.Builder builder(RuleSource... sources) {
    return RuleLoader.builder(engine, List.of(sources))
        .metrics(metrics)
        .clock(Clock.fixed(NOW, ZoneOffset.UTC));
  }

  private String ruleOf(String path) {
    return engine.check(RequestContext.builder().path(path).build()).ruleId().orElse("none");
  }

  @Test
  void putsDocumentOfTheSourceInForce() {
    file.content = "version: 5\nrules: [{ id: a, path: /a, limit: 1/d }]";

    RulesStatus status = loader.load();

    assertThat(status).isEqualTo(new RulesStatus(5, Optional.of(NOW), List.of()));
    assertThat(ruleOf("/a")).isEqualTo("a");
    assertThat(metrics.version).isEqualTo(5);
  }

  @Test
  void aBugOfASourceIsAFailureOfThatSource() {
    file.content = "rules: [{ id: a, path: /a, limit: 1/d }]";
    redis.bug = new IllegalStateException("a bug");

    assertThat(both.start().errors())
        .containsExactly("redis: loading failed: java.lang.IllegalStateException: a bug");
    assertThat(ruleOf("/a")).isEqualTo("a");

    redis.bug = null;
    redis.content = "rules: [{ id: b, path: /b, limit: 1/d }]";
    assertThat(both.load().errors()).isEmpty();
    assertThat(ruleOf("/b")).isEqualTo("b");
    redis.bug = new IllegalArgumentException();
    assertThat(both.load().errors())
        .containsExactly("redis: loading failed: java.lang.IllegalArgumentException");
    assertThat(ruleOf("/b")).isEqualTo("b");
  }

  @Test
  void aFailingMetricsExporterChangesNothing() {
    MetricsExporter failing =
        new MetricsExporter() {
          @Override
          public RuleMeter meter(String ruleSetId, String ruleId) {
            return RuleMeter.NONE;
          }

          @Override
          public void rulesLoaded(boolean success) {
            throw new IllegalStateException("full");
          }

          @Override
          public void rulesConfirmed() {
            throw new LinkageError("wrong version");
          }
        };
    RuleLoader guarded = builder(required(file)).metrics(failing).build();
    file.content = "rules: [{ id: a, path: /a, limit: 1/d }]";
    guarded.start();
    guarded.load();
    assertThat(ruleOf("/a")).isEqualTo("a");

    file.content = "rules: [{ id: a, path: 7 }]";
    assertThat(guarded.load().errors()).isNotEmpty();
  }

  @Test
  void ignoresUnchangedContent() {
    file.content = "rules: [{ id: a, limit: 1/d }]";
    redis.content = "plans: []";
    both.start();
    RuleBook book = engine.book();
    EffectiveRules effective = both.effective();

    for (int i = 0; i < 100; i++) {
      both.reload();
    }

    assertThat(engine.book()).isSameAs(book);
    assertThat(both.effective()).isSameAs(effective);
    assertThat(metrics.good).hasValue(1);
    assertThat(metrics.confirmed).hasValue(100);
    assertThat(metrics.bad).hasValue(0);
  }

  @Test
  void ignoresOtherSpellingOfTheSameRules() {
    file.content = "rules: [{ id: a, limit: 1/d }]";
    loader.start();
    RuleBook book = engine.book();

    file.content = "# a comment\nrules:\n  - id: a\n    limit: 1/24h\n";
    loader.reload();

    assertThat(engine.book()).isSameAs(book);
    assertThat(loader.status().version()).isEqualTo(1);
  }

  @Test
  void keepsLastValidDocumentUntilInvalidOneIsFixed() {
    file.content = "rules: [{ id: a, path: /a, limit: 1/d }]";
    loader.load();
    RuleBook good = engine.book();

    file.content = "rules: [{ id: a, path: /a, limit: nonsense }]";
    loader.reload();
    loader.reload();

    assertThat(engine.book()).isSameAs(good);
    assertThat(loader.status().loaded()).isTrue();
    assertThat(loader.status().errors())
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith("file:1: rule 'a': "));
    assertThat(metrics.bad).hasValue(1);
    assertThat(metrics.confirmed).as("no success while it is broken").hasValue(0);

    file.content = "rules: [{ id: b, path: /b, limit: 1/d }]";
    loader.reload();
    assertThat(loader.status()).isEqualTo(new RulesStatus(2, Optional.of(NOW), List.of()));
  }

  @Test
  void clearsErrorsWithoutNewVersionWhenInvalidDocumentIsReverted() {
    String good = "rules: [{ id: a, limit: 1/d }]";
    file.content = good;
    loader.load();
    file.content = "rules: [{";
    loader.reload();
    assertThat(loader.status().errors()).isNotEmpty();

    file.content = good;
    loader.reload();

    assertThat(loader.status()).isEqualTo(new RulesStatus(1, Optional.of(NOW), List.of()));
  }

  @Test
  void versionNeverDecreases() {
    file.content = "version: 9\nrules: []";
    loader.load();
    file.content = "version: 3\nrules: [{ id: a, limit: 1/s }]";
    loader.load();

    assertThat(loader.status().version()).isEqualTo(10);
  }

  @Test
  void keepsRulesOfUnreachableSourceAndRecovers() {
    file.content = "rules: []";
    loader.load();

    file.content = null;
    loader.reload();
    assertThat(loader.status().errors()).containsExactly("file: there is no rule document");
    file.failure = new IOException("no answer");
    loader.reload();
    assertThat(loader.status().errors()).containsExactly("file: no answer");
    assertThat(engine.book()).isNotNull();

    file.failure = null;
    file.content = "rules: []";
    loader.reload();
    assertThat(loader.status().errors()).isEmpty();
    assertThat(metrics.good).hasValue(1);
    assertThat(metrics.confirmed).hasValue(1);
  }

  @Test
  void laterSourceReplacesRulesAndPlansOfTheSameId() {
    file.content =
        """
        plans: [{ id: p, limit: 1/d }, { id: q, limit: 1/d }]
        rules: [{ id: a, path: /a, limit: 1/d }, { id: b, path: /b, plan: p }]
        """;
    redis.content =
        """
        plans: [{ id: p, limit: 7/d }]
        rules: [{ id: a, path: /elsewhere, limit: 1/d }, { id: c, path: /c, plan: q }]
        """;

    both.start();

    assertThat(List.of(ruleOf("/a"), ruleOf("/elsewhere"), ruleOf("/c")))
        .containsExactly("none", "a", "c");
    assertThat(engine.book().compiled().planLimits("p").band(0).capacity()).isEqualTo(7);
    assertThat(both.effective().document().rules().stream().map(rule -> rule.id()))
        .containsExactly("a", "b", "c");
    assertThat(both.effective().sourcesOf("a")).containsExactly(file, redis);
    assertThat(both.effective().sourcesOf("b")).containsExactly(file);
    assertThat(both.repository()).containsSame(redis);
  }

  @Test
  void rejectsRemovalOfPlanThatAnotherSourceUses() {
    file.content = "rules: [{ id: a, plan: p }]";
    redis.content = "plans: [{ id: p, limit: 1/d }]";
    both.start();
    RuleBook book = engine.book();

    redis.content = "plans: []";
    both.reload();

    assertThat(engine.book()).isSameAs(book);
    assertThat(both.status().errors())
        .singleElement()
        .satisfies(line -> assertThat(line).contains("rule 'a'", "unknown plan 'p'"));
    assertThat(both.tryOut(redis, List.of(new Document("try", "plans: []"))).errors()).isNotEmpty();

    redis.content = "plans: [{ id: p, limit: 2/d }]";
    both.reload();
    assertThat(both.status().errors()).isEmpty();
    assertThat(both.status().version()).isEqualTo(2);
  }

  @Test
  void acceptsDocumentOnceAnotherSourceHasItsPlan() {
    file.content = "rules: []";
    redis.content = "rules: [{ id: a, plan: p }]";
    both.start();
    assertThat(both.status().errors()).hasSize(1);

    file.content = "plans: [{ id: p, limit: 1/d }]";
    both.reload();

    assertThat(both.status().errors()).isEmpty();
    assertThat(engine.book().rule("a")).isPresent();
  }

  @Test
  void loadsOtherSourcesBesideAnInvalidOne() {
    file.content = "rules: [{ id: a, limit: 1/d }]";
    redis.content = "rules: [{ id: b, limit: 1/d }]";
    both.start();

    file.content = "rules: [";
    redis.content = "rules: [{ id: c, limit: 1/d }]";
    both.reload();

    assertThat(engine.book().rule("a")).isPresent();
    assertThat(engine.book().rule("b")).isEmpty();
    assertThat(engine.book().rule("c")).isPresent();
    assertThat(both.status().errors()).hasSize(1);
  }

  @Test
  void replacesPlaceholdersInFilesOnly() {
    file.content = "rules: [{ id: a, path: '/${BURST}', limit: 1/d }]";
    redis.content = "rules: [{ id: b, path: '/${BURST}', limit: 1/d }]";

    both.start();

    assertThat(ruleOf("/7")).isEqualTo("a");
    assertThat(both.status().errors())
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith("redis:1: rule 'b'"));
  }

  @Test
  void failsStartOnMissingOrInvalidFile() {
    assertThatThrownBy(loader::start)
        .isInstanceOf(InvalidRulesException.class)
        .hasMessage("file: there is no rule document");
    file.content = "rules: [{}]";
    assertThatThrownBy(both::start)
        .isInstanceOf(InvalidRulesException.class)
        .hasMessageContaining("file:1: ");
  }

  @Test
  void startsWithoutSourcesThatAreNotRequired() {
    RuleLoader dynamic = loader(RuleSource.dynamic(redis));
    redis.failure = new IOException("connection refused");
    assertThat(dynamic.start().loaded()).isFalse();
    assertThat(dynamic.status().errors()).containsExactly("redis: connection refused");
    redis.failure = null;
    dynamic.reload();
    assertThat(dynamic.status().errors()).containsExactly("redis: there is no rule document yet");

    redis.content = "rules: [{ id: a, limit: 1/d }]";
    dynamic.reload();

    assertThat(dynamic.status()).isEqualTo(new RulesStatus(1, Optional.of(NOW), List.of()));
  }

  @Test
  void usesStartingDocumentAndWritesItToAnEmptySource() {
    file.content = "rules: [{ id: a, path: '/${BURST}', limit: 1/d }]";
    redis.failure = new IOException("connection refused");
    RuleLoader started = builder(RuleSource.dynamic(redis)).startingWith(required(file)).build();

    started.start();
    assertThat(ruleOf("/7")).isEqualTo("a");
    assertThat(started.status().errors()).containsExactly("redis: connection refused");

    redis.failure = null;
    started.reload();
    assertThat(redis.content).contains("\"/7\"").doesNotContain("BURST");
    assertThat(redis.audit).hasSize(1);
    assertThat(started.status()).isEqualTo(new RulesStatus(1, Optional.of(NOW), List.of()));

    redis.content = "rules: [{ id: b, path: /b, limit: 1/d }]";
    started.reload();
    assertThat(ruleOf("/7")).isEqualTo("none");
    assertThat(ruleOf("/b")).isEqualTo("b");
    redis.content = null;
    redis.revisions.clear();
    started.reload();
    assertThat(redis.revisions).isEmpty();
    assertThat(ruleOf("/b")).isEqualTo("b");
  }

  @Test
  void keepsStartingDocumentOutOfAnOverlayAndBelowItsRules() throws IOException {
    MemorySource remote = new MemorySource("remote");
    remote.failure = new IOException("connection refused");
    file.content = "plans: [{ id: p, limit: 1/d }]\nrules: [{ id: a, path: /a, limit: 1/d }]";
    RuleLoader started =
        builder(RuleSource.dynamic(remote), RuleSource.overlay(redis))
            .startingWith(required(file))
            .build();

    started.start();
    assertThat(redis.revisions).isEmpty();
    assertThat(ruleOf("/a")).isEqualTo("a");

    String edit = "rules: [{ id: b, path: /b, plan: p }]";
    assertThat(started.tryOut(redis, List.of(new Document("try", edit))).errors()).isEmpty();
    redis.content = edit;
    started.reload();
    assertThat(List.of(ruleOf("/a"), ruleOf("/b"))).containsExactly("a", "b");

    remote.failure = null;
    remote.content = "plans: [{ id: p, limit: 2/d }]\nrules: [{ id: c, path: /c, limit: 1/d }]";
    started.reload();
    assertThat(List.of(ruleOf("/a"), ruleOf("/b"), ruleOf("/c"))).containsExactly("none", "b", "c");
    assertThat(redis.revisions).isEmpty();
    assertThat(started.status().errors()).isEmpty();
  }

  @Test
  void prefersDocumentOfTheSourceToTheStartingOne() {
    file.content = "rules: [{ id: a, path: /a, limit: 1/d }]";
    redis.content = "rules: [{ id: b, path: /b, limit: 1/d }]";

    builder(RuleSource.dynamic(redis)).startingWith(required(file)).build().start();

    assertThat(List.of(ruleOf("/a"), ruleOf("/b"))).containsExactly("none", "b");
    assertThat(redis.revisions).isEmpty();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = "rules: [{ id: a, limt: 1/d }]")
  void startsWithoutStartingDocumentIfTheSourceHasOne(String invalid) {
    file.content = invalid;
    redis.content = "rules: [{ id: b, path: /b, limit: 1/d }]";
    RuleLoader started = builder(RuleSource.dynamic(redis)).startingWith(required(file)).build();

    assertThat(started.start()).isEqualTo(new RulesStatus(1, Optional.of(NOW), List.of()));
    assertThat(ruleOf("/b")).isEqualTo("b");
    assertThat(List.of(metrics.good.get(), metrics.bad.get())).containsExactly(1, 0);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = "rules: [{ id: b, limt: 1/d }]")
  void doesNotStartWithoutStartingDocumentIfNoSourceHasOne(String content) {
    file.content = "rules: [{ id: a, limt: 1/d }]";
    redis.content = content;
    RuleLoader started = builder(RuleSource.dynamic(redis)).startingWith(required(file)).build();

    assertThatThrownBy(started::start)
        .isInstanceOf(InvalidRulesException.class)
        .hasMessageContaining("unknown field 'limt'");
  }

  @Test
  void doesNotStartOnTheRulesOfAnOverlayAlone() {
    file.content = "rules: [{ id: a, limt: 1/d }]";
    redis.content = "rules: [{ id: b, path: /b, limit: 1/d }]";
    RuleLoader started = builder(RuleSource.overlay(redis)).startingWith(required(file)).build();

    assertThatThrownBy(started::start).isInstanceOf(InvalidRulesException.class);
  }

  @Test
  void readsFrozenSourceOnce() {
    file.content = "rules: [{ id: a, limit: 1/d }]";
    RuleLoader frozen = loader(required(file).frozen());
    frozen.start();

    file.content = "rules: [{ id: b, limit: 1/d }]";
    frozen.reload();

    assertThat(engine.book().rule("a")).isPresent();
  }

  @Test
  void tryOutChangesNothing() {
    file.content = "rules: [{ id: a, limit: 1/d }]";
    both.start();

    ReadResult good = both.tryOut(redis, List.of(new Document("try", "rules: []")));
    ReadResult bad = both.tryOut(redis, List.of(new Document("try", "rules: [{ id: b }]")));

    assertThat(good.valid()).isTrue();
    assertThat(bad.valid()).isFalse();
    assertThat(both.status().version()).isEqualTo(1);
  }

  @Test
  void listsChangedRulesUpToABound() {
    file.content =
        "plans: [{ id: p, limit: 1/d }]\nrules: [{ id: a, limit: 1/d }, { id: b, limit: 1/d }]";
    loader.load();
    var before = loader.effective().document();
    StringBuilder many = new StringBuilder("rules: [{ id: a, limit: 2/d }");
    for (int i = 10; i < 40; i++) {
      many.append(", { id: n").append(i).append(", limit: 1/d }");
    }
    file.content = many.append("]").toString();
    loader.load();

    String changes = RuleChanges.between(before, loader.effective().document()).toString();

    assertThat(changes).contains("added n10, ", " and 10 more", "changed a", "removed plan p, b");
  }

  /** Returns how many of a hundred requests are allowed. */
  private int passing() {
    int passed = 0;
    for (int i = 0; i < 100; i++) {
      passed += engine.check(RequestContext.builder().path("/").build()).allowed() ? 1 : 0;
    }
    return passed;
  }

  @Test
  void startsChangedLimitsFullAndKeepsUnchangedBuckets() {
    file.content = "rules: [{ id: a, limit: 60/d }]";
    loader.load();
    assertThat(passing()).isEqualTo(60);

    file.content = "rules: [{ id: a, path: /**, limit: 60/d, metadata: { tier: x } }]";
    loader.load();
    assertThat(passing()).isZero();

    file.content = "rules: [{ id: a, limit: 10/d }]";
    loader.load();
    assertThat(passing()).isEqualTo(10);
  }

  @Test
  void carriesTakenTokensOverIfBucketsAreNotReset() {
    RuleLoader keeping = builder(required(file)).resetBuckets(false).build();
    file.content = "rules: [{ id: a, limit: 60/d }]";
    keeping.load();
    assertThat(passing()).isEqualTo(60);

    file.content = "rules: [{ id: a, limit: 10/d }]";
    keeping.load();
    assertThat(passing()).isZero();

    file.content = "rules: [{ id: a, limit: 10/d burst 15 }]";
    keeping.load();
    assertThat(passing()).isEqualTo(15);
  }
}
