package dev.redline.binding.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.internal.token.JwtSettings.OnInvalid;
import dev.redline.core.internal.token.TokenVerifier;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.RequestContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClientIdentityTest {
  private final RequestContext.Builder request = RequestContext.builder();
  private final AtomicInteger verified = new AtomicInteger();

  private ClientIdentity identity(OnInvalid onInvalid) {
    TokenVerifier verifier =
        new TokenVerifier() {
          @Override
          public Optional<String> user(String token) {
            verified.incrementAndGet();
            return token.equals("abc") ? Optional.of("alice") : Optional.empty();
          }

          @Override
          public OnInvalid onInvalid() {
            return onInvalid;
          }

          @Override
          public void close() {}
        };
    return new ClientIdentity(TrustedProxies.none(), "X-API-Key", new UserTokens(verifier));
  }

  @Test
  void tokenNamesTheUserIfNoOtherIsKnown() {
    identity(OnInvalid.REJECT).identify(request, null, () -> List.of("Bearer abc"));

    assertThat(request.build().userId()).hasValue("alice");
  }

  @Test
  void tokenOfAnAuthenticatedUserIsNotVerified() {
    identity(OnInvalid.REJECT).identify(request, "bob", () -> List.of("Bearer x"));

    RequestContext described = request.build();
    assertThat(described.userId()).hasValue("bob");
    assertThat(ClientIdentity.isDenied(described)).isFalse();
    assertThat(verified).hasValue(0);
  }

  @Test
  void invalidTokenDeniesTheRequest() {
    identity(OnInvalid.REJECT).identify(request, null, () -> List.of("Bearer x"));

    assertThat(ClientIdentity.isDenied(request.build())).isTrue();
  }

  @Test
  void invalidTokenIsIgnored() {
    identity(OnInvalid.IGNORE).identify(request, "", () -> List.of("Bearer x"));

    RequestContext described = request.build();
    assertThat(described.userId()).isEmpty();
    assertThat(ClientIdentity.isDenied(described)).isFalse();
  }

  @Test
  void userOfACustomizerReplacesAnInvalidToken() {
    identity(OnInvalid.REJECT).identify(request, null, () -> List.of("Bearer x"));
    new RequestDetails(request).userId("carol");

    assertThat(ClientIdentity.isDenied(request.build())).isFalse();
  }

  @Test
  void authorizationIsNotReadWithoutAVerifier() {
    new ClientIdentity(TrustedProxies.none(), "X-API-Key")
        .identify(
            request,
            null,
            () -> {
              throw new AssertionError("read");
            });

    assertThat(request.build().userId()).isEmpty();
  }

  @Test
  void differentApiKeysAreOneThatNoClientCanSend() {
    assertThat(apiKey()).isNull();
    assertThat(apiKey("a")).isEqualTo("a");
    assertThat(apiKey("a", "a")).isEqualTo("a");
    assertThat(apiKey("a", "b")).isEqualTo(apiKey("c", "", "c")).isEqualTo(apiKey("", "a"));
    assertThat(apiKey("a", "b")).contains("\n");
  }

  private static @Nullable String apiKey(String... values) {
    return ClientIdentity.apiKey(List.of(values).iterator());
  }
}
