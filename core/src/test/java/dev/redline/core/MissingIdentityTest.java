package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RuleBook;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class MissingIdentityTest {
  private static RequestContext from(String ip, String user) {
    return RequestContext.builder().path("/").clientIp(ip).userId(user).build();
  }

  @Test
  void addressReplacesTheIdentityByDefault() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1).key(KeyField.userId()));
    assertThat(fixture.check(from("10.0.0.1", null)).allowed()).isTrue();
    assertThat(fixture.check(from("10.0.0.1", null)).allowed()).isFalse();
    assertThat(fixture.check(from("10.0.0.2", null)).allowed()).isTrue();
    assertThat(fixture.check(from("10.0.0.3", "10.0.0.1")).allowed()).isTrue();
  }

  @Test
  void ofACompositeOnlyTheMissingPartIsReplaced() {
    EngineFixture fixture =
        EngineFixture.of(rule("r", 1).key(KeyField.userId(), KeyField.header("t")));
    RequestContext.Builder one = RequestContext.builder().clientIp("10.0.0.1").header("t", "1");
    RequestContext.Builder two = RequestContext.builder().clientIp("10.0.0.1").header("t", "2");
    RequestContext.Builder again = RequestContext.builder().clientIp("10.0.0.1").header("t", "1");
    assertThat(fixture.check(one.build()).allowed()).isTrue();
    assertThat(fixture.check(two.build()).allowed()).isTrue();
    assertThat(fixture.check(again.build()).allowed()).isFalse();
  }

  @Test
  void requestWithoutIdentityAndAddressIsDenied() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1).key(KeyField.userId()), rule("all", 9));
    RateLimitResult result = fixture.check("/");
    assertThat(result.reason()).isEqualTo(Reason.MISSING_IDENTITY);
    assertThat(result.ruleId()).contains("r");
    assertThat(result.limit()).isEmpty();
    assertThat(result.retryAfter()).isEmpty();
    assertThat(fixture.left("all", LimitCheck.ofRule("all", List.of(), 1))).containsExactly(9L);
  }

  @Test
  void skipMeansThatTheRuleDoesNotApply() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("r", 1).key(KeyField.userId()).onMissingIdentity(OnMissingIdentity.SKIP));
    assertThat(fixture.check(from("10.0.0.1", null)).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(fixture.check(from("10.0.0.1", "u")).ruleId()).contains("r");
  }

  @Test
  void rejectDeniesDespiteAnAddress() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("r", 1).key(KeyField.userId()).onMissingIdentity(OnMissingIdentity.REJECT));
    assertThat(fixture.check(from("10.0.0.1", null)).reason()).isEqualTo(Reason.MISSING_IDENTITY);
  }

  @Test
  void anOwnResolverFollowsTheSameRules() {
    EngineFixture fixture =
        EngineFixture.of(
            RuleBook.builder()
                .identity(new IdentitySettings(48, ApiKeyDigest.unkeyed()))
                .rules(
                    List.of(
                        rule("r", 1)
                            .keyResolver(request -> request.attributeOrNull("shop"))
                            .build()))
                .build());
    RequestContext shop = RequestContext.builder().attribute("shop", "s1").build();
    assertThat(fixture.check(shop).allowed()).isTrue();
    assertThat(fixture.check(shop).allowed()).isFalse();
    assertThat(fixture.check(from("2001:db8:1:1::1", null)).allowed()).isTrue();
    assertThat(fixture.check(from("2001:db8:1:2::1", null)).allowed()).isFalse();
    assertThat(fixture.check(RequestContext.builder().build()).reason())
        .isEqualTo(Reason.MISSING_IDENTITY);
  }

  @Test
  void anExceptionOfAKeyResolverFailsTheStageAndDoesNotEscape() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("r", 1)
                .keyResolver(
                    asked -> {
                      throw new IllegalStateException("on purpose");
                    }));
    LimitCheck check = LimitCheck.ofRequest(request("/"));
    List<CompletionStage<?>> stages =
        List.of(
            fixture.engine().checkAsync(request("/")),
            fixture.engine().handle(check),
            fixture.engine().explain(check));
    for (CompletionStage<?> stage : stages) {
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> stage.toCompletableFuture().join())
          .havingCause()
          .withMessage("on purpose");
    }
  }
}
