package dev.redline.core.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.RequestContext;
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
  void aConditionOnWhatTheRequestLacksDoesNotHold() {
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
    assertThat(match.failingHeader(RequestContext.builder().build())).isEqualTo("h0");
    RequestContext first = RequestContext.builder().header("h0", "x").attribute("a0", "x").build();
    assertThat(match.failingHeader(first)).isEqualTo("h1");
    assertThat(match.failingAttribute(first)).isEqualTo("a1");
  }
}
