package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.core.RateLimit;
import io.quarkus.security.identity.IdentityProviderManager;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.vertx.http.runtime.security.ChallengeData;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticationMechanism;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.security.RolesAllowed;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusSecurityTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(QuarkusSecurityTest.class))
          .overrideRuntimeConfigKey("rl.filter.exclude-patterns", "/login")
          .overrideRuntimeConfigKey("rl.filters.login.order", "250")
          .overrideRuntimeConfigKey("rl.filters.login.include-patterns", "/login")
          .overrideRuntimeConfigKey("rl.filters.login.rule-set-id", "login")
          .overrideRuntimeConfigKey("rl.rules[0].id", "me")
          .overrideRuntimeConfigKey("rl.rules[0].path", "/me")
          .overrideRuntimeConfigKey("rl.rules[0].key", "userId")
          .overrideRuntimeConfigKey("rl.rules[0].limit", "1/h")
          .overrideRuntimeConfigKey("rl.rules[1].id", "login")
          .overrideRuntimeConfigKey("rl.rules[1].rule-set-id", "login")
          .overrideRuntimeConfigKey("rl.rules[1].path", "/login")
          .overrideRuntimeConfigKey("rl.rules[1].key", "ip")
          .overrideRuntimeConfigKey("rl.rules[1].limit", "1/h");

  @TestHTTPResource URI base;

  private final LoopbackClient client() {
    return new LoopbackClient(base);
  }

  /** Believes the header X-User. */
  @Singleton
  public static class HeaderMechanism implements HttpAuthenticationMechanism {
    @Override
    public Uni<SecurityIdentity> authenticate(
        RoutingContext routing, IdentityProviderManager identities) {
      String user = routing.request().getHeader("X-User");
      return user == null
          ? Uni.createFrom().nullItem()
          : Uni.createFrom()
              .item(
                  QuarkusSecurityIdentity.builder()
                      .setPrincipal(new QuarkusPrincipal(user))
                      .addRole(user.startsWith("guest") ? "guest" : "user")
                      .build());
    }

    @Override
    public Uni<ChallengeData> getChallenge(RoutingContext routing) {
      return Uni.createFrom().item(new ChallengeData(401, "WWW-Authenticate", "Test"));
    }
  }

  /** Endpoints for users. */
  @Path("/")
  @RolesAllowed("user")
  public static class SecuredResource {
    @GET
    @Path("me")
    public String me() {
      return "me";
    }

    @GET
    @Path("login")
    public String login() {
      return "in";
    }

    @GET
    @Path("pay")
    @RateLimit(value = "1/h", key = "global")
    public String pay() {
      return "paid";
    }
  }

  @Test
  void securityOfAnEndpointComesBeforeItsLimit() {
    assertThat(client().get("/pay").status()).isEqualTo(401);
    assertThat(client().get("/pay", "X-User: guest").status()).isEqualTo(403);
    assertThat(client().get("/pay", "X-User: alice").status()).isEqualTo(200);
    assertThat(client().get("/pay", "X-User: alice").status()).isEqualTo(429);
    assertThat(client().get("/pay", "X-User: guest").status()).isEqualTo(403);
  }

  @Test
  void filterCountsTheAuthenticatedUser() {
    assertThat(client().get("/me", "X-User: bob").status()).isEqualTo(200);
    assertThat(client().get("/me", "X-User: bob").status()).isEqualTo(429);
    assertThat(client().get("/me", "X-User: carol").status()).isEqualTo(200);
  }

  @Test
  void filterBeforeAuthenticationCountsAttemptsThatFail() {
    LoopbackClient attacker = client();
    assertThat(attacker.get("/login").status()).isEqualTo(401);
    assertThat(attacker.get("/login").status()).isEqualTo(429);
    assertThat(client().get("/login", "X-User: dave").status()).isEqualTo(200);
  }
}
