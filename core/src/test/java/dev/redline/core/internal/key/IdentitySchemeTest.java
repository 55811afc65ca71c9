package dev.redline.core.internal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.key.RequestContext;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentitySchemeTest {
  private static IdentityScheme scheme(String... fields) {
    return scheme(IdentitySettings.DEFAULT, fields);
  }

  private static IdentityScheme scheme(IdentitySettings settings, String... fields) {
    return new IdentityScheme(
        List.of(fields).stream().map(KeyField::parse).toList(),
        List.of(PathPattern.parse("/users/{id}/**"), PathPattern.parse("/u/{id}")),
        settings);
  }

  private static RequestContext.Builder request() {
    return RequestContext.builder()
        .path("//users/7/x")
        .method("get")
        .clientIp("203.0.113.7")
        .userId("alice")
        .apiKey("k1")
        .header("X-Tenant-Id", "t1")
        .attribute("plan", "gold");
  }

  @ParameterizedTest
  @CsvSource({
    "global, 'g:'",
    "ip, i:203.0.113.7",
    "userId, u:alice",
    "path, p:/users/7/x",
    "method, m:GET",
    "header:x-tenant-id, h:t1",
    "attribute:plan, a:gold",
    "path:id, v:7"
  })
  void everyKindOfFieldNamesTheCaller(String field, String identity) {
    assertThat(scheme(field).identity(request().build(), false)).isEqualTo(identity);
  }

  @Test
  void apiKeysAppearOnlyAsDigests() {
    String digest = ApiKeyDigest.unkeyed().of("k1");
    assertThat(scheme("apiKey").identity(request().build(), false)).isEqualTo("k:" + digest);
    assertThat(scheme("apiKey").shown(request().build(), false)).containsExactly(digest);
    IdentitySettings keyed = new IdentitySettings(64, ApiKeyDigest.keyed("secret"));
    assertThat(scheme(keyed, "apiKey").shown(request().build(), false))
        .containsExactly(ApiKeyDigest.keyed("secret").of("k1"));
  }

  @ParameterizedTest
  @CsvSource({"header:Authorization", "header:cookie", "header:x-api-key", "header:X-Own-Key"})
  void credentialHeadersAppearOnlyAsDigests(String field) {
    IdentitySettings settings = IdentitySettings.DEFAULT.withCredentialHeader("x-own-key");
    IdentityScheme scheme = scheme(settings, field, "ip");
    IdentityScheme only = scheme(settings, field);
    String name = field.substring("header:".length());
    String digest = ApiKeyDigest.unkeyed().of("s3cret");
    RequestContext one = request().header(name, "s3cret").build();

    assertThat(only.identity(one, false))
        .isEqualTo("h:" + digest)
        .isEqualTo(only.identityOf(List.of("s3cret")));
    assertThat(scheme.identity(one, false))
        .doesNotContain("s3cret")
        .isEqualTo(scheme.identityOf(List.of("s3cret", "203.0.113.7")));
    assertThat(scheme.shown(one, false)).containsExactly(digest, "203.0.113.7");
    assertThat(only.shownOf(List.of("s3cret"))).containsExactly(digest);

    RequestContext several = request().header(name, "s3cret").header(name, "other").build();
    assertThat(only.identity(several, false)).startsWith("H:").doesNotContain("s3cret", "other");
    assertThat(only.shown(several, false).toString()).doesNotContain("s3cret", "other");
  }

  @Test
  void aPathVariableComesFromThePatternThatMatches() {
    assertThat(scheme("path:id").identity(request().path("/u/9").build(), false)).isEqualTo("v:9");
    assertThat(scheme("path:id").identity(request().path("/v/9").build(), false)).isNull();
  }

  @Test
  void severalFieldsAreLengthPrefixed() {
    assertThat(scheme("ip", "userId").identity(request().build(), false))
        .isEqualTo("i11:203.0.113.7u5:alice");
    assertThat(scheme("ip", "userId").shown(request().build(), false))
        .containsExactly("203.0.113.7", "alice");
  }

  @Test
  void globalAddsNothingToOtherFields() {
    assertThat(scheme("global", "userId").identity(request().build(), false))
        .isEqualTo(scheme("userId").identity(request().build(), false));
    assertThat(scheme("global").shown(request().build(), false)).isEmpty();
  }

  @Test
  void ipv6CallersAreGroupedByPrefix() {
    RequestContext one = request().clientIp("2001:db8:0:1::1").build();
    RequestContext neighbour = request().clientIp("2001:db8:0:1:ffff::2").build();
    RequestContext other = request().clientIp("2001:db8:0:2::1").build();
    IdentityScheme scheme = scheme("ip");
    assertThat(scheme.identity(one, false))
        .isEqualTo("i:2001:db8:0:1::/64")
        .isEqualTo(scheme.identity(neighbour, false))
        .isNotEqualTo(scheme.identity(other, false));
    IdentityScheme exact = scheme(new IdentitySettings(128, ApiKeyDigest.unkeyed()), "ip");
    assertThat(exact.identity(one, false)).isEqualTo("i:2001:db8:0:1::1");
    IdentityScheme wide = scheme(new IdentitySettings(48, ApiKeyDigest.unkeyed()), "ip");
    assertThat(wide.identity(one, false)).isEqualTo(wide.identity(other, false));
  }

  @Test
  void rejectsPrefixOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdentitySettings(0, ApiKeyDigest.unkeyed()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdentitySettings(129, ApiKeyDigest.unkeyed()));
  }

  @Test
  void missingPartGivesNoIdentityUnlessTheAddressReplacesIt() {
    RequestContext anonymous = request().userId(null).build();
    assertThat(scheme("userId").identity(anonymous, false)).isNull();
    assertThat(scheme("userId").shown(anonymous, false)).isNull();
    assertThat(scheme("userId").identity(anonymous, true)).isEqualTo("i:203.0.113.7");
    assertThat(scheme("userId", "header:X-Tenant-Id").identity(anonymous, true))
        .isEqualTo("i11:203.0.113.7h2:t1");
  }

  @Test
  void addressInPlaceOfAUserDiffersFromAUserOfThatName() {
    RequestContext anonymous = request().userId(null).build();
    RequestContext impostor = request().userId("203.0.113.7").build();
    assertThat(scheme("userId").identity(anonymous, true))
        .isNotEqualTo(scheme("userId").identity(impostor, true));
    IdentityScheme composite = scheme("userId", "method");
    assertThat(composite.identity(anonymous, true))
        .isNotEqualTo(composite.identity(impostor, true));
  }

  @Test
  void missingPartWithoutAddressGivesNoIdentity() {
    RequestContext unknown = RequestContext.builder().path("/").build();
    assertThat(scheme("userId").identity(unknown, true)).isNull();
    assertThat(scheme("ip").identity(unknown, true)).isNull();
    assertThat(scheme("ip").address(unknown)).isNull();
  }

  @Test
  void givenValuesNameTheSameCallerAsTheRequest() {
    RequestContext request = request().clientIp("2001:db8:0:1::1").build();
    assertThat(scheme("ip").identityOf(List.of("2001:DB8:0:1::1")))
        .isEqualTo(scheme("ip").identity(request, false));
    assertThat(scheme("ip").identityOf(List.of("2001:db8:0:1::/64")))
        .isEqualTo(scheme("ip").identity(request, false));
    assertThat(scheme("apiKey").identityOf(List.of("k1")))
        .isEqualTo(scheme("apiKey").identity(request, false));
    assertThat(scheme("method").identityOf(List.of("get")))
        .isEqualTo(scheme("method").identity(request, false));
    assertThat(scheme("path").identityOf(List.of("/users/./7/x/")))
        .isEqualTo(scheme("path").identity(request, false));
    assertThat(scheme("userId", "apiKey").identityOf(List.of("alice", "k1")))
        .isEqualTo(scheme("userId", "apiKey").identity(request, false));
    assertThat(scheme("global").identityOf(List.of("ignored", "altogether")))
        .isEqualTo(scheme("global").identity(request, false));
    assertThat(scheme("apiKey").shownOf(List.of("k1")))
        .containsExactly(ApiKeyDigest.unkeyed().of("k1"));
    assertThat(scheme("global").shownOf(List.of("ignored"))).isEmpty();
  }

  @Test
  void givenValuesMustBeAsManyAsFieldsAndNotEmpty() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheme("userId").identityOf(List.of()))
        .withMessageContaining("identity must have 1 value");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheme("userId", "ip").identityOf(List.of("a", "b", "c")))
        .withMessageContaining("identity must have 2 values")
        .withMessageContaining("had 3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheme("userId").identityOf(List.of("")))
        .withMessageContaining("identity must not be empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheme("ip").identityOf(List.of("me")))
        .withMessageContaining("'me'");
  }

  @Test
  void longIdentitiesBecomeDifferentDigests() {
    String prefix = "x".repeat(100_000);
    String one = scheme("userId").identityOf(List.of(prefix + "1"));
    String other = scheme("userId").identityOf(List.of(prefix + "2"));
    assertThat(one).hasSizeLessThan(100).isNotEqualTo(other);
    assertThat(one).isEqualTo(scheme("userId").identityOf(List.of(prefix + "1")));
    assertThat(one).isNotEqualTo(scheme("header:X").identityOf(List.of(prefix + "1")));
    assertThat(scheme("userId").identityOf(List.of(prefix + "\ud800")))
        .isNotEqualTo(scheme("userId").identityOf(List.of(prefix + "\ud801")));
  }

  @Test
  void keyOfAResolverDiffersFromAFieldOfThatName() {
    assertThat(IdentityScheme.resolved("alice"))
        .isNotEqualTo(scheme("userId").identityOf(List.of("alice")));
    assertThat(IdentityScheme.resolved("x".repeat(1000))).hasSizeLessThan(100);
  }

  @Test
  void identitiesOfUnknownKindAreUnambiguous() {
    assertThat(IdentityScheme.named(List.of("a", "b")))
        .isNotEqualTo(IdentityScheme.named(List.of("a\0b")))
        .isNotEqualTo(IdentityScheme.named(List.of("ab")))
        .isNotEqualTo(IdentityScheme.named(List.of("b", "a")));
    assertThatIllegalArgumentException().isThrownBy(() -> IdentityScheme.named(List.of()));
    assertThatIllegalArgumentException().isThrownBy(() -> IdentityScheme.named(List.of("a", "")));
  }

  private static String ofHeader(String... values) {
    RequestContext.Builder request = RequestContext.builder();
    for (String value : values) {
      request.header("X", value);
    }
    return KeyResolver.header("x").resolve(request.build());
  }

  @Test
  void severalHeaderValuesDifferFromTheirJoinedText() {
    List<List<String>> different =
        List.of(
            List.of("a", "b"),
            List.of("b", "a"),
            List.of("a"),
            List.of("a, b"),
            List.of("a,b"),
            List.of("ab"),
            List.of("a", "b", "b"),
            List.of("h1:a", "b"),
            List.of("h1:ah1:b"),
            List.of("a", "bh1:b"));
    assertThat(different.stream().map(values -> ofHeader(values.toArray(new String[0]))))
        .doesNotContainNull()
        .doesNotHaveDuplicates();
    assertThat(ofHeader("a", "b")).isEqualTo(ofHeader("a", "b"));
  }
}
