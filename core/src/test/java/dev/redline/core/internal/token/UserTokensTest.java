package dev.redline.core.internal.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.token.JwtSettings.OnInvalid;
import dev.redline.core.key.RequestContext;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserTokensTest {
  private final RequestContext.Builder request = RequestContext.builder();

  /** Knows one token. */
  private record OneToken(OnInvalid onInvalid) implements TokenVerifier {
    @Override
    public Optional<String> user(String token) {
      return token.equals("abc") ? Optional.of("alice") : Optional.empty();
    }

    @Override
    public void close() {}
  }

  private boolean identify(OnInvalid onInvalid, String... authorization) {
    return new UserTokens(new OneToken(onInvalid)).identify(request, List.of(authorization));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer abc", "bearer  abc ", "BEARER abc", "Bearer\tabc", " Bearer abc"})
  void validTokenNamesTheUser(String authorization) {
    assertThat(identify(OnInvalid.REJECT, authorization)).isTrue();
    assertThat(request.build().userId()).hasValue("alice");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Basic abc", "abc", "Bearerabc", "Bearer:abc", ""})
  void otherSchemesAreNoTokens(String authorization) {
    assertThat(identify(OnInvalid.REJECT, authorization)).isTrue();
    assertThat(request.build().userId()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer", "Bearer ", "bearer\t"})
  void missingTokenIsInvalid(String authorization) {
    assertThat(identify(OnInvalid.REJECT, authorization)).isFalse();
    assertThat(identify(OnInvalid.IGNORE, authorization)).isTrue();
    assertThat(request.build().userId()).isEmpty();
  }

  @Test
  void invalidTokenDeniesOrIsIgnored() {
    assertThat(identify(OnInvalid.REJECT, "Bearer x")).isFalse();
    assertThat(identify(OnInvalid.IGNORE, "Bearer x")).isTrue();
    assertThat(request.build().userId()).isEmpty();
  }

  @Test
  void twoDifferentTokensAreInvalid() {
    assertThat(identify(OnInvalid.REJECT, "Bearer abc", "Bearer x")).isFalse();
    assertThat(identify(OnInvalid.REJECT, "Bearer abc", "Bearer abc")).isTrue();
  }

  @Test
  void noTokenNamesAUserWithoutAVerifier() {
    assertThat(UserTokens.NONE.areRead()).isFalse();
    assertThat(UserTokens.NONE.identify(request, List.of("Bearer abc"))).isTrue();
    assertThat(request.build().userId()).isEmpty();
  }
}
