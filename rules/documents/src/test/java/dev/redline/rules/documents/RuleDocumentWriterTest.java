package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.key.KeyResolver;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class RuleDocumentWriterTest {

  @ParameterizedTest
  @FieldSource("dev.redline.rules.documents.Samples#GOOD")
  void readsWrittenDocumentUnchanged(String text) {
    String json = RuleDocumentWriter.toJson(Documents.valid(text));
    ReadResult again =
        RuleDocumentReader.withoutPlaceholders().read(List.of(new Document("json", json)));
    assertThat(again.errors()).isEmpty();
    assertThat(RuleDocumentWriter.toJson(again.document())).isEqualTo(json);
    assertSameMeaning(again.document(), Documents.valid(text));
  }

  static void assertSameMeaning(RuleDocument read, RuleDocument original) {
    assertThat(read.version()).isEqualTo(original.version());
    assertThat(read.plans()).isEqualTo(original.plans());
    assertThat(read.ruleSetIds()).containsExactlyInAnyOrderElementsOf(original.ruleSetIds());
    assertThat(read.rules())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyInAnyOrderElementsOf(original.rules());
  }

  @Test
  void writesTheExampleInTheLongForm() {
    Map<String, Object> map = RuleDocumentWriter.toMap(Documents.valid(Samples.COMPLETE));
    assertThat(map).containsOnlyKeys("version", "plans", "rules", "ruleSets");
    assertThat(map.get("plans").toString())
        .startsWith(
            "[{id=gold, bands=[{label=gold, capacity=10, refillTokens=1, refillPeriod=1s}]}");
    assertThat(map.get("rules").toString())
        .endsWith("{id=health, action=ALLOW, path=/health/**, priority=100}]");
    assertThat(map.get("ruleSets").toString())
        .startsWith(
            "[{id=api-limits, rules=[{id=per-tenant, path=/api/**, method=GET,"
                + " key=[ip, header:X-Tenant-Id], ");
  }

  @Test
  void writesResolvedPlaceholders() {
    ReadResult result = Documents.read("- { id: a, limit: \"${RATE}/s\" }", Map.of("RATE", "7"));
    assertThat(RuleDocumentWriter.toJson(result.document()))
        .isEqualTo(
            "{\"version\":1,\"rules\":[{\"id\":\"a\",\"bands\":[{\"label\":\"a\",\"capacity\":7,"
                + "\"refillTokens\":7,\"refillPeriod\":\"1s\"}]}]}");
  }

  @Test
  void preservesEveryCharacter() {
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 0x300; c++) {
      all.append(c);
    }
    all.append("\u2028\uFEFF\uFFFE😀");
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("a")
            .addBand(RateLimitBand.of(1, 1, Duration.ofSeconds(1)))
            .metadata(all.substring(0, 128), List.of(all.toString()))
            .build();
    String json =
        RuleDocumentWriter.toJson(
            new RuleDocument(1, List.of(), List.of(rule), List.of("default")));
    assertThat(Documents.rule(json).metadata()).isEqualTo(rule.metadata());
  }

  @Test
  void writesRuleSetOfASingleRule() {
    RateLimitRule rule = Documents.rule("- { id: a, ruleSetId: s, action: DENY }");
    assertThat(RuleDocumentWriter.toMap(rule))
        .isEqualTo(Map.of("id", "a", "action", "DENY", "ruleSetId", "s"));
  }

  @Test
  void rejectsKeyResolver() {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("a")
            .addBand(RateLimitBand.of(1, 1, Duration.ofSeconds(1)))
            .keyResolver(KeyResolver.ip())
            .build();
    assertThatThrownBy(() -> RuleDocumentWriter.toMap(rule))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key resolver");
  }
}
