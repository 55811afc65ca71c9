package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.binding.web.ClientIdentity;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.internal.token.JwtSettings;
import dev.redline.core.internal.token.JwtSettings.OnInvalid;
import dev.redline.core.internal.token.TokenVerifier;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.MicrosClock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What decides a request whose token is not valid. */
class InvalidTokensTest {
  private final RateLimitEngine engine =
      RateLimitEngine.builder(new LocalStore(10, MicrosClock.monotonic()))
          .book(RuleBook.of())
          .build();

  /** Knows no token. */
  private record NoToken(OnInvalid onInvalid) implements TokenVerifier {
    @Override
    public Optional<String> user(String token) {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private RateLimitResult decide(OnInvalid onInvalid, Optional<RateLimitHandler> own)
      throws InterruptedException {
    ApplicationSettings parsed =
        SpringOrder.PROPERTIES.parse(
            Map.of(),
            Plugins.load(InvalidTokensTest.class.getClassLoader()),
            HostProfile.application());
    JwtSettings jwt =
        new JwtSettings(
            Optional.of("secret"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            "sub",
            onInvalid);
    ApplicationSettings settings =
        new ApplicationSettings(
            parsed.assembly(), Optional.of(jwt), parsed.filters(), parsed.annotations());
    RequestContext.Builder request = RequestContext.builder();
    new ClientIdentity(TrustedProxies.none(), "X-API-Key", new UserTokens(new NoToken(onInvalid)))
        .identify(request, null, () -> List.of("Bearer x"));
    return ChosenHandler.of(settings, engine, own)
        .handler()
        .handleAndWait(LimitCheck.ofRequest(request.build()));
  }

  @Test
  void areDeniedBeforeTheEngineDecides() throws InterruptedException {
    assertThat(decide(OnInvalid.REJECT, Optional.empty()).reason())
        .isEqualTo(Reason.MISSING_IDENTITY);
  }

  @Test
  void areDeniedBeforeTheHandlerOfTheApplicationDecides() throws InterruptedException {
    RateLimitHandler own =
        check -> CompletableFuture.completedFuture(RateLimitResult.of(Reason.ALLOWED));

    assertThat(decide(OnInvalid.REJECT, Optional.of(own)).reason())
        .isEqualTo(Reason.MISSING_IDENTITY);
  }

  @Test
  void areNotDeniedIfIgnored() throws InterruptedException {
    assertThat(decide(OnInvalid.IGNORE, Optional.empty()).reason())
        .isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void areNotDeniedWhileLimitsAreSwitchedOff() throws InterruptedException {
    engine.enable(false);

    assertThat(decide(OnInvalid.REJECT, Optional.empty()).reason()).isEqualTo(Reason.DISABLED);
  }
}
