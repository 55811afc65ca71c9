package dev.redline.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleBookTest {
  private static final RateLimitBand BAND = RateLimitBand.of(10, 10, Duration.ofSeconds(1));

  private static RateLimitRule.Builder rule(String id) {
    return RateLimitRule.builder().id(id).addBand(BAND);
  }

  private static List<String> labels(RuleBook book, String rule) {
    return book.compiled().rule(rule).bands().stream()
        .map(band -> band.label().orElseThrow())
        .toList();
  }

  @Test
  void rulesAreEvaluatedByPriorityThenById() {
    RuleBook book =
        RuleBook.of(
            rule("b").build(),
            rule("z").priority(5).build(),
            rule("a").build(),
            rule("n").priority(-1).build());
    assertThat(book.rules().stream().map(RateLimitRule::id)).containsExactly("z", "a", "b", "n");
    assertThat(book.compiled().rules().stream().map(CompiledRule::rank))
        .containsExactly(0, 1, 2, 3);
  }

  @Test
  void aBookCannotBeChanged() {
    RuleBook book =
        RuleBook.builder()
            .rules(List.of(rule("a").build()))
            .plans(List.of(RateLimitPlan.of("gold", BAND)))
            .build();
    List<Collection<?>> views =
        List.of(
            book.rules(),
            book.ruleSets().values(),
            book.ruleSet("default").orElseThrow().rules(),
            book.plans().values());
    for (Collection<?> view : views) {
      assertThat(view).hasSize(1);
      assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(view::clear);
    }
  }

  @Test
  void rulesStandInTheirSets() {
    RuleBook book =
        RuleBook.builder()
            .rules(List.of(rule("a").build(), rule("b").ruleSetId("api").build()))
            .ruleSet("empty")
            .build();
    assertThat(book.ruleSets()).containsOnlyKeys("default", "api", "empty");
    assertThat(book.ruleSet("api").orElseThrow().rules()).hasSize(1);
    assertThat(book.ruleSet("empty").orElseThrow().rules()).isEmpty();
    assertThat(book.ruleSet("other")).isEmpty();
    assertThat(book.compiled().index("other")).isNull();
    assertThat(book.compiled().everything().size()).isEqualTo(2);
  }

  @Test
  void everyProblemIsReportedAtOnce() {
    RuleBook.Builder book =
        RuleBook.builder()
            .plans(List.of(RateLimitPlan.of("gold", BAND), RateLimitPlan.of("gold", BAND)))
            .rules(List.of(rule("a").build(), rule("a").build(), rule("b").plan("silver").build()));
    assertThatIllegalArgumentException()
        .isThrownBy(book::build)
        .withMessageContaining("plan 'gold' is defined twice")
        .withMessageContaining("rule 'a' is defined twice")
        .withMessageContaining("rule 'b': unknown plan 'silver'");
  }

  @Test
  void bandsOfPlansJoinTheRulesOwn() {
    RuleBook book =
        RuleBook.builder()
            .plans(
                List.of(
                    RateLimitPlan.of("gold", BAND.withLabel("hourly")),
                    RateLimitPlan.of("daily", BAND.withLabel("hourly"), BAND),
                    RateLimitPlan.of("single", BAND)))
            .rules(List.of(rule("r").plan("gold").plan("daily").plan("single").build()))
            .build();
    assertThat(labels(book, "r"))
        .containsExactly("r", "gold.hourly", "daily.hourly", "daily-2", "single");
  }

  @Test
  void aPlanNamedTwiceByARuleCountsOnce() {
    RuleBook book =
        RuleBook.builder()
            .plans(List.of(RateLimitPlan.of("gold", BAND)))
            .rules(List.of(RateLimitRule.builder().id("r").plan("gold").plan("gold").build()))
            .build();
    assertThat(labels(book, "r")).containsExactly("gold");
  }

  @Test
  void unchangedLimitsAreTakenOverFromTheBookBefore() {
    RuleBook before = RuleBook.of(rule("same").build(), rule("other").build());
    RuleBook after =
        RuleBook.builder()
            .replacing(before)
            .rules(List.of(rule("same").priority(3).build(), rule("other").addBand(BAND).build()))
            .build();
    assertThat(after.compiled().rule("same").limits())
        .isSameAs(before.compiled().rule("same").limits());
    assertThat(after.compiled().rule("other").limits())
        .isNotEqualTo(before.compiled().rule("other").limits());
  }

  @Test
  void rulesWithEqualNumbersShareTheirArithmeticAndKeepTheirLabels() {
    RateLimitBand larger = RateLimitBand.of(7, 7, Duration.ofMinutes(1));
    RuleBook book =
        RuleBook.of(
            rule("a").addBand(larger).build(),
            rule("b").addBand(larger).build(),
            rule("c").build());
    BucketLimits a = book.compiled().rule("a").limits();
    BucketLimits b = book.compiled().rule("b").limits();

    assertThat(b.arithmetic()).isSameAs(a.arithmetic());
    assertThat(book.compiled().rule("c").limits().band(0)).isNotSameAs(a.band(0));
    assertThat(b).isNotEqualTo(a);
    assertThat(b.hasBucketsOf(a)).isFalse();
    assertThat(List.of(b.label(0), b.label(1))).containsExactly("b-1", "b-2");
    BucketLimits share = b.share(0.5);
    assertThat(List.of(share.label(0), share.label(1))).containsExactly("b-1", "b-2");
  }

  @Test
  void aRuleOfAnotherSetCannotStandInASet() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RateLimitRuleSet("api", List.of(rule("a").build())))
        .withMessageContaining("'a'")
        .withMessageContaining("'default'");
  }
}
