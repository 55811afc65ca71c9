package dev.redline.core.internal.http;

import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.EngineFixture;
import dev.redline.core.RateLimitResult;
import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.Reason;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.RateLimitRule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IetfHeadersTest {
  private static final HttpSettings IETF = new HttpSettings(false, true, 429);

  private static Map<String, String> headers(RateLimitResult result) {
    return HttpDecision.of(result, IETF).headers();
  }

  private static RateLimitBand band(String label, long capacity, Duration period) {
    return RateLimitBand.builder().label(label).capacity(capacity).period(period).build();
  }

  @Test
  void everyBandHasItsPolicyAndItsRemainingTokens() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder()
                .id("per-tenant")
                .addBand(band("per-second", 1, Duration.ofSeconds(1)))
                .addBand(band("per-minute", 100, Duration.ofMinutes(1))));
    fixture.check("/");
    RateLimitResult denied = fixture.check("/");

    assertThat(denied.allowed()).isFalse();
    assertThat(headers(denied))
        .containsEntry("RateLimit-Policy", "\"per-second\";q=1;w=1, \"per-minute\";q=100;w=60")
        .containsEntry("RateLimit", "\"per-second\";r=0;t=1, \"per-minute\";r=99;t=1")
        .containsEntry("Retry-After", "1")
        .hasSize(3);
  }

  @Test
  void secondsAreRoundedUp() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder()
                .id("slow")
                .addBand(RateLimitBand.of(3, 2, Duration.ofMillis(2500))));
    RateLimitResult result = fixture.check("/");
    assertThat(headers(result))
        .containsEntry("RateLimit-Policy", "\"slow\";q=3;w=4")
        .containsEntry("RateLimit", "\"slow\";r=2;t=2");
  }

  @Test
  void windowShowsTheTimeToTheNextOne() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder()
                .id("quota")
                .addBand(RateLimitBand.fixedWindow(5, Duration.ofMinutes(1))));
    fixture.advance(Duration.ofMillis(17_500));
    assertThat(headers(fixture.check("/")))
        .containsEntry("RateLimit-Policy", "\"quota\";q=5;w=60")
        .containsEntry("RateLimit", "\"quota\";r=4;t=43");
  }

  @Test
  void equalLabelsOfTwoRulesAreQualifiedByTheirRule() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder().id("a").addBand(band("hourly", 5, Duration.ofHours(1))),
            RateLimitRule.builder().id("b").addBand(band("hourly", 6, Duration.ofHours(1))),
            RateLimitRule.builder().id("c").addBand(band("daily", 7, Duration.ofHours(24))));
    assertThat(headers(fixture.check("/")))
        .containsEntry(
            "RateLimit-Policy",
            "\"a.hourly\";q=5;w=3600, \"b.hourly\";q=6;w=3600, \"daily\";q=7;w=86400");
  }

  @Test
  void shadowRulesAreNotShown() {
    EngineFixture fixture = EngineFixture.of(rule("real", 5), rule("trial", 1).mode(Mode.SHADOW));
    assertThat(headers(fixture.check("/")))
        .containsEntry("RateLimit-Policy", "\"real\";q=5;w=3600");
  }

  @Test
  void atMostEightBandsAreShown() {
    RateLimitRule.Builder many = RateLimitRule.builder().id("many");
    for (int i = 1; i <= 9; i++) {
      many.addBand(EngineFixture.perHour(i));
    }
    Map<String, String> headers = headers(EngineFixture.of(many).check("/"));
    assertThat(headers.get("RateLimit-Policy").split(", ")).hasSize(8);
    assertThat(headers.get("RateLimit").split(", ")).hasSize(8);
    assertThat(headers.get("RateLimit")).doesNotContain("many-9");
  }

  @Test
  void theBandThatDeniesIsShownAmongMany() {
    RateLimitRule.Builder many = RateLimitRule.builder().id("many");
    for (int i = 1; i <= 9; i++) {
      many.addBand(band("band-" + i, 20 - i, Duration.ofHours(i)));
    }
    many.addBand(band("scarce", 1, Duration.ofHours(24)));
    EngineFixture fixture = EngineFixture.of(many);
    fixture.check("/");
    RateLimitResult denied = fixture.check("/");
    assertThat(denied.allowed()).isFalse();
    assertThat(headers(denied).get("RateLimit").split(", "))
        .hasSize(8)
        .contains("\"scarce\";r=0;t=86400")
        .contains("\"band-1\";r=18;t=190");
  }

  @Test
  void labelThatEqualsAQualifiedOneIsQualifiedToo() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder().id("c1").addBand(band("a", 5, Duration.ofHours(1))),
            RateLimitRule.builder().id("c2").addBand(band("a", 6, Duration.ofHours(1))),
            RateLimitRule.builder().id("c3").addBand(band("c1.a", 7, Duration.ofHours(1))));
    assertThat(headers(fixture.check("/")))
        .containsEntry(
            "RateLimit-Policy", "\"c1.a\";q=5;w=3600, \"c2.a\";q=6;w=3600, \"c3.c1.a\";q=7;w=3600");
  }

  @Test
  void qualifiedNamesThatAreEqualAreNumbered() {
    BandStatus band =
        new BandStatus(
            "plan", "hourly", true, 5, 4, Duration.ofHours(1), Duration.ZERO, Instant.EPOCH);
    RateLimitResult result =
        RateLimitResult.builder(Reason.ALLOWED).bands(List.of(band, band)).build();
    assertThat(headers(result))
        .containsEntry("RateLimit", "\"plan.hourly\";r=4;t=0, \"plan.hourly-2\";r=4;t=0");
  }

  @Test
  void noBandMeansNoFields() {
    assertThat(headers(RateLimitResult.of(Reason.NO_MATCHING_RULE))).isEmpty();
    assertThat(headers(RateLimitResult.of(Reason.BLOCKED))).isEmpty();
  }

  @Test
  void escapesLabels() {
    List<BandStatus> bands = new ArrayList<>();
    bands.add(
        new BandStatus(
            "r",
            "a\"b\\c\r\nSet-Cookie: ü",
            true,
            1,
            1,
            Duration.ZERO,
            Duration.ZERO,
            Instant.EPOCH));
    RateLimitResult result = RateLimitResult.builder(Reason.ALLOWED).bands(bands).build();
    assertThat(headers(result))
        .containsEntry("RateLimit", "\"a\\\"b\\\\c__Set-Cookie: _\";r=1;t=0");
  }
}
