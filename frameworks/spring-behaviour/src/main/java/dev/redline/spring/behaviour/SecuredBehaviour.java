package dev.redline.spring.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;

/** How filters work together with Spring Security. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class SecuredBehaviour {
  private static final String PASSWORD = UUID.randomUUID().toString();
  private static final List<String> RULES =
      List.of(
          "rl.rule-sets[0].id=users",
          "rl.rule-sets[0].rules[0].id=per-user",
          "rl.rule-sets[0].rules[0].path=/profile",
          "rl.rule-sets[0].rules[0].key=userId",
          "rl.rule-sets[0].rules[0].limit=2/m",
          "rl.rule-sets[1].id=login",
          "rl.rule-sets[1].rules[0].id=attempts",
          "rl.rule-sets[1].rules[0].key=ip",
          "rl.rule-sets[1].rules[0].limit=4/m",
          "rl.default-rule-set-id=users");

  /** The applications. */
  enum Kind {
    SERVLET(SecuredServletApplication.class, "servlet"),
    WEBFLUX(SecuredWebFluxApplication.class, "reactive");

    private final Class<?> application;
    private final String webType;

    Kind(Class<?> application, String webType) {
      this.application = application;
      this.webType = webType;
    }

    RunningApplication start() {
      return RunningApplication.start(application, webType, RULES);
    }
  }

  /** Creates the suite. */
  protected SecuredBehaviour() {}

  static List<UserDetails> users() {
    return Stream.of("alice", "bob")
        .map(name -> User.withUsername(name).password("{noop}" + PASSWORD).roles("USER").build())
        .toList();
  }

  private static String basic(String user, String password) {
    byte[] credentials = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "Authorization: Basic " + Base64.getEncoder().encodeToString(credentials);
  }

  @ParameterizedTest
  @EnumSource
  final void filtersStandOnBothSidesOfAuthentication(Kind kind) {
    try (RunningApplication application = kind.start()) {
      // After it: the user is known, from any address.
      for (String user : List.of("alice", "bob")) {
        String credentials = basic(user, PASSWORD);
        for (int i = 1; i >= 0; i--) {
          Response allowed = new LoopbackClient(application.uri()).get("/profile", credentials);
          assertThat(allowed.status()).as(allowed.toString()).isEqualTo(200);
          assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("" + i);
        }
        Response denied = new LoopbackClient(application.uri()).get("/profile", credentials);
        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.body()).contains("\"ruleId\":\"per-user\"");
      }

      // So is it to an annotated method, whose caller is the user.
      for (int expected : List.of(200, 200, 429)) {
        LoopbackClient client = new LoopbackClient(application.uri());
        assertThat(client.get("/orders", basic("alice", PASSWORD)).status()).isEqualTo(expected);
      }

      // Before it: attempts are counted that Spring Security rejects, and further ones do not
      // reach it.
      LoopbackClient attacker = new LoopbackClient(application.uri());
      for (int i = 0; i < 4; i++) {
        Response rejected = attacker.get("/profile", basic("alice", "guess" + i));
        assertThat(rejected.status()).as(rejected.toString()).isEqualTo(401);
      }
      Response denied = attacker.get("/profile", basic("alice", PASSWORD));
      assertThat(denied.status()).isEqualTo(429);
      assertThat(denied.body()).contains("\"ruleId\":\"attempts\"");
    }
  }
}
