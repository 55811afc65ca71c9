package dev.redline.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.MatchCondition.NoMatch;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RuleMatchTest {
  private static RequestContext.Builder request() {
    return RequestContext.builder()
        .header("X-Tenant", "acme-eu")
        .attribute("tier", "gold")
        .clientIp("10.1.2.3")
        .userId("admin-7");
  }

  @Test
  void withoutConditionsEverythingMatches() {
    assertThat(RuleMatch.ANY.mismatch(RequestContext.builder().build())).isNull();
  }

  @Test
  void headersAreFoundIgnoringCaseAndMatchedByGlob() {
    RuleMatch match = RuleMatch.builder().header("x-tenant", "acme-*").build();
    assertThat(match.mismatch(request().build())).isNull();
    assertThat(RuleMatch.builder().header("X-Tenant", "ACME-*").build().mismatch(request().build()))
        .isEqualTo(NoMatch.HEADER);
  }

  @Test
  void attributesAreMatchedByGlob() {
    RuleMatch match = RuleMatch.builder().attribute("tier", "g?ld").build();
    assertThat(match.mismatch(request().build())).isNull();
    assertThat(match.mismatch(request().attribute("tier", "silver").build()))
        .isEqualTo(NoMatch.ATTRIBUTE);
  }

  @Test
  void oneOfSeveralBlocksOrUsersIsEnough() {
    RuleMatch match =
        RuleMatch.builder()
            .clientIp("192.0.2.0/24")
            .clientIp("10.0.0.0/8")
            .userId("root")
            .userId("admin-*")
            .build();
    assertThat(match.mismatch(request().build())).isNull();
    assertThat(match.mismatch(request().clientIp("11.0.0.1").build())).isEqualTo(NoMatch.CLIENT_IP);
    assertThat(match.mismatch(request().userId("bob").build())).isEqualTo(NoMatch.USER_ID);
  }

  @Test
  void conditionOnAnAbsentFieldDoesNotHold() {
    RequestContext empty = RequestContext.builder().build();
    assertThat(RuleMatch.builder().header("a", "*").build().mismatch(empty))
        .isEqualTo(NoMatch.HEADER);
    assertThat(RuleMatch.builder().attribute("a", "*").build().mismatch(empty))
        .isEqualTo(NoMatch.ATTRIBUTE);
    assertThat(RuleMatch.builder().clientIp("0.0.0.0/0").build().mismatch(empty))
        .isEqualTo(NoMatch.CLIENT_IP);
    assertThat(RuleMatch.builder().userId("*").build().mismatch(empty)).isEqualTo(NoMatch.USER_ID);
  }

  @Test
  void allConditionsMustHold() {
    RuleMatch match = RuleMatch.builder().header("X-Tenant", "acme-*").userId("bob").build();
    assertThat(match.mismatch(request().build())).isEqualTo(NoMatch.USER_ID);
  }

  @Test
  void aHeaderConditionHoldsIfAnyValueMatches() {
    RuleMatch match = RuleMatch.builder().header("X-Tier", "gold*").build();
    RequestContext.Builder both = RequestContext.builder().header("x-tier", "free");
    assertThat(match.mismatch(both.header("X-Tier", "gold-1").build())).isNull();
    RequestContext neither =
        RequestContext.builder().header("x-tier", "free").header("x-tier", "basic").build();
    assertThat(match.mismatch(neither)).isEqualTo(NoMatch.HEADER);
  }

  @Test
  void theConditionThatFailedIsNamedInTheOrderOfTheRule() {
    RuleMatch.Builder many = RuleMatch.builder();
    for (int i = 0; i < 20; i++) {
      many.header("h" + i, "*").attribute("a" + i, "*");
    }
    RuleMatch match = many.build();
    assertThat(failingField(match, RequestContext.builder().build())).isEqualTo("h0");
    RequestContext first = RequestContext.builder().header("h0", "x").build();
    assertThat(failingField(match, first)).isEqualTo("h1");
    RequestContext.Builder allHeaders = RequestContext.builder().attribute("a0", "x");
    for (int i = 0; i < 20; i++) {
      allHeaders.header("h" + i, "x");
    }
    assertThat(failingField(match, allHeaders.build())).isEqualTo("a1");
  }

  private static String failingField(RuleMatch match, RequestContext request) {
    return Objects.requireNonNull(match.failing(request)).failingField(request);
  }

  @Test
  void equalConditionsMakeEqualMatches() {
    RuleMatch match = all().build();
    assertThat(all().build()).isEqualTo(match).hasSameHashCodeAs(match);
    assertThat(RuleMatch.builder().header("b", "2").header("a", "1").build())
        .isEqualTo(RuleMatch.builder().header("a", "1").header("b", "2").build());
    assertThat(all().header("h", "other").build()).isNotEqualTo(match);
    assertThat(all().attribute("a", "other").build()).isNotEqualTo(match);
    assertThat(all().clientIp("::1").build()).isNotEqualTo(match);
    assertThat(all().userId("other").build()).isNotEqualTo(match);
    assertThat(RuleMatch.builder().header("x", "1").build())
        .isNotEqualTo(RuleMatch.builder().attribute("x", "1").build());
  }

  private static RuleMatch.Builder all() {
    return RuleMatch.builder().header("h", "1").attribute("a", "2").clientIp("::2").userId("3");
  }

  @Test
  void rejectsTwoConditionsOfOneType() {
    MatchCondition first = RuleMatch.builder().userId("a").build().conditions().get(0);
    assertThatThrownBy(() -> RuleMatch.builder().userId("b").condition(first).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("userIds");
  }
}
