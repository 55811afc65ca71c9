package dev.redline.rules.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.Explanation;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.MatchCondition;
import dev.redline.core.rule.MatchCondition.NoMatch;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleMatch;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocumentWriter;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A condition that another project adds: it is read, decides, is explained and is written. */
@Timeout(30)
class OwnConditionTest {
  /** Holds for paths that end in one of the given extensions. */
  record ExtensionCondition(List<String> extensions) implements MatchCondition {
    static final OfTexts TYPE = new OfTexts("extensions", ExtensionCondition::new);

    ExtensionCondition {
      for (String extension : extensions) {
        if (!extension.equals(extension.toLowerCase(Locale.ROOT))) {
          throw new IllegalArgumentException("an extension is lower case, was '" + extension + "'");
        }
      }
      extensions = List.copyOf(extensions);
    }

    @Override
    public Type type() {
      return TYPE;
    }

    @Override
    public List<String> values() {
      return extensions;
    }

    @Override
    public boolean test(RequestContext request) {
      String path = request.pathOrNull();
      return path != null && extensions.stream().anyMatch(end -> path.endsWith("." + end));
    }
  }

  private static final RuleDocumentReader READER =
      RuleDocumentReader.withoutPlaceholders().withCondition(ExtensionCondition.TYPE);

  private static final String RULES =
      """
      rules:
        - id: images
          limit: 1/h
          match:
            userIds: u*
            extensions: [png, jpg]
      """;

  private static ReadResult read(String text) {
    return READER.read(List.of(new Document("rules.yaml", text)));
  }

  private static RateLimitRule rule(String text) {
    ReadResult result = read(text);
    assertThat(result.errors()).isEmpty();
    return result.document().rules().get(0);
  }

  private static RequestContext request(String path) {
    return RequestContext.builder().path(path).userId("u1").build();
  }

  @Test
  void decidesByTheCondition() throws Exception {
    try (LocalStore store = new LocalStore()) {
      RateLimitEngine engine = RateLimitEngine.builder(store).build();
      engine.use(read(RULES).document().toBook().build());
      assertThat(engine.check(request("/a.png")).allowed()).isTrue();
      assertThat(engine.check(request("/a.jpg")).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
      assertThat(engine.check(request("/a.html")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    }
  }

  @Test
  void namesTheConditionInExplanations() throws Exception {
    try (LocalStore store = new LocalStore()) {
      RateLimitEngine engine = RateLimitEngine.builder(store).build();
      engine.use(read(RULES).document().toBook().build());
      Explanation explanation =
          engine
              .explain(LimitCheck.ofRequest(request("/a.html")))
              .toCompletableFuture()
              .get(10, TimeUnit.SECONDS);
      assertThat(explanation.rules().get(0).why()).contains(NoMatch.CONDITION);
      assertThat(explanation.rules().get(0).field()).contains("extensions");
    }
  }

  @Test
  void isWrittenAndReadAgain() {
    ReadResult first = read(RULES);
    String json = RuleDocumentWriter.toJson(first.document());
    assertThat(json).contains("\"extensions\":[\"png\",\"jpg\"]");
    assertThat(rule(json).match()).isEqualTo(rule(RULES).match()).isNotEqualTo(RuleMatch.ANY);
  }

  @Test
  void reportsInvalidValueWithItsLine() {
    List<RuleProblem> errors = read(RULES.replace("[png, jpg]", "[png,\n        JPG]")).errors();
    assertThat(errors).hasSize(1);
    assertThat(errors.get(0).toString())
        .isEqualTo(
            "rules.yaml:7: rule 'images': match: extensions: an extension is lower case, was"
                + " 'JPG'");
  }

  @Test
  void isRejectedByReaderWithoutIt() {
    assertThat(
            RuleDocumentReader.withoutPlaceholders()
                .read(List.of(new Document("rules.yaml", RULES)))
                .errors())
        .hasSize(1);
  }

  @Test
  void rejectsNameThatIsTaken() {
    assertThatThrownBy(() -> READER.withCondition(ExtensionCondition.TYPE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("extensions");
  }
}
