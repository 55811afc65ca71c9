package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleMatch;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;

/** Any document is unchanged after it was written and read again. */
@Tag("properties")
class RoundTripPropertyTest {
  @Property(tries = 200)
  void readsWrittenDocumentsUnchanged(@ForAll long seed) {
    RuleDocument document = new Generator(seed).document();
    String json = RuleDocumentWriter.toJson(document);
    ReadResult read =
        RuleDocumentReader.withoutPlaceholders().read(List.of(new Document("json", json)));
    assertThat(read.errors()).as(json).isEmpty();
    RuleDocumentWriterTest.assertSameMeaning(read.document(), document);
  }

  private static final class Generator {
    private final Random random;

    Generator(long seed) {
      this.random = new Random(seed);
    }

    RuleDocument document() {
      List<RateLimitPlan> plans = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        plans.add(new RateLimitPlan("plan-" + i, bands(1 + random.nextInt(3))));
      }
      List<RateLimitRule> rules = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        rules.add(rule("rule." + i, plans));
      }
      List<String> sets = new ArrayList<>(rules.stream().map(RateLimitRule::ruleSetId).toList());
      sets.add(oneOf("default", "empty", "other"));
      return new RuleDocument(
          random.nextInt(100) + 1, plans, rules, sets.stream().distinct().toList());
    }

    private RateLimitRule rule(String id, List<RateLimitPlan> plans) {
      Action action = oneOf(Action.values());
      RateLimitRule.Builder rule =
          RateLimitRule.builder()
              .id(id)
              .ruleSetId(oneOf("default", "api", "other_1"))
              .action(action)
              .onMissingIdentity(oneOf(OnMissingIdentity.values()))
              .cost(1 + random.nextInt(3))
              .priority(random.nextInt(5) - 2)
              .stop(random.nextBoolean())
              .enabled(random.nextBoolean())
              .mode(oneOf(Mode.values()))
              .path("/users/{id}/" + oneOf("**", "x?", "*", "{*rest}"));
      if (action == Action.LIMIT) {
        bands(1 + random.nextInt(3)).forEach(rule::addBand);
        plans.stream().filter(plan -> random.nextBoolean()).forEach(plan -> rule.plan(plan.id()));
      }
      if (random.nextBoolean()) {
        rule.path("/other").method("GET").method(oneOf("post", "PURGE"));
        rule.key(KeyField.ip(), KeyField.header("X-A:b"), KeyField.pathVariable("id"));
        rule.onLimitExceed(oneOf(OnLimitExceed.values()));
        rule.match(
            RuleMatch.builder()
                .header("X-" + oneOf("true", "1", "null"), oneOf("010", "true", "null", "*", "a#b"))
                .attribute(oneOf("a b", "~", "- x"), oneOf("", " ", "yes", "ä\n"))
                .clientIp(oneOf("10.1.2.3", "2001:db8::/32", "::1", "0.0.0.0/0"))
                .userId(oneOf("7", "u*", "\"quoted\""))
                .build());
      } else {
        rule.key(oneOf(KeyField.userId(), KeyField.apiKey(), KeyField.global()));
        rule.onStoreFailure(oneOf(OnStoreFailure.values()));
        rule.createdAt(oneOf("2024-05-01", "1763230059412", "2024-05-01T12:00:00.123+02:00"));
        rule.metadata(oneOf("tier", "null", "1"), oneOf("gold", 12L, true, List.of("a", 3L)));
        rule.metadata("nested", Map.of("x", List.of(Map.of("y", "$5"), false)));
      }
      return rule.build();
    }

    private List<RateLimitBand> bands(int count) {
      List<RateLimitBand> bands = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Algorithm algorithm = oneOf(Algorithm.values());
        RateLimitBand.Builder band =
            RateLimitBand.builder()
                .algorithm(algorithm)
                .capacity(1 + (long) (Math.pow(10, random.nextInt(6)) * random.nextDouble()))
                .period(
                    oneOf(
                        Duration.ofDays(1 + random.nextInt(366)),
                        Duration.ofSeconds(1 + random.nextInt(10_000)),
                        Duration.ofMillis(1 + random.nextInt(10_000)),
                        Duration.of(1000 + random.nextInt(10_000), ChronoUnit.MICROS)));
        if (algorithm == Algorithm.TOKEN_BUCKET) {
          band.refillTokens(100_000 + random.nextInt(1000)).refill(oneOf(Refill.values()));
        }
        bands.add(i == 1 ? band.label("second").build() : band.build());
      }
      return bands;
    }

    @SafeVarargs
    private <T> T oneOf(T... values) {
      return values[random.nextInt(values.length)];
    }
  }
}
