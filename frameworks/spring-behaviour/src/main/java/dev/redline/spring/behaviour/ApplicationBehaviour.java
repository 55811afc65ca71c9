package dev.redline.spring.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.DenialBehaviour;
import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.behaviour.TokenBehaviour;
import dev.redline.core.BucketReset;
import dev.redline.core.RateLimitEngine;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Spring applications do, on servlets and on WebFlux. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class ApplicationBehaviour implements DenialBehaviour, TokenBehaviour {
  /** The address of the only peer whose {@code X-Forwarded-For} counts. */
  private static final String PROXY = "127.250.0.1";

  private static final List<String> OWN_RULES =
      List.of(
          "rl.rules[0].id=filtered",
          "rl.rules[0].path=/filtered/**",
          "rl.rules[0].key=ip",
          "rl.rules[0].limit=3/m",
          "rl.rules[1].id=waiting",
          "rl.rules[1].path=/waiting",
          "rl.rules[1].key=ip",
          "rl.rules[1].limit=1/2s",
          "rl.rules[1].on-limit-exceed=WAIT_FOR_REFILL",
          "rl.rules[2].id=slow",
          "rl.rules[2].path=/slow",
          "rl.rules[2].key=ip",
          "rl.rules[2].limit=1/30s",
          "rl.rules[2].on-limit-exceed=WAIT_FOR_REFILL",
          "rl.rule-sets[0].id=second",
          "rl.rule-sets[0].rules[0].id=twice",
          "rl.rule-sets[0].rules[0].path=/filtered/twice",
          "rl.rule-sets[0].rules[0].key=ip",
          "rl.rule-sets[0].rules[0].limit=2/m",
          "rl.filters.second.rule-set-id=second",
          "rl.filters.second.order=-40",
          "rl.identity.trusted-proxies=" + PROXY,
          "rl.wait-for-refill.enabled=true",
          "rl.wait-for-refill.max-wait-time=90s",
          "rl.wait-for-refill.max-concurrent-waits=2");

  static final List<String> RULES = rules();

  private RunningApplication application;

  private static List<String> rules() {
    List<String> rules = new ArrayList<>(OWN_RULES);
    DenialBehaviour.properties(3, 1).forEach((name, value) -> rules.add(name + "=" + value));
    TokenBehaviour.properties(5).forEach((name, value) -> rules.add(name + "=" + value));
    return rules;
  }

  /** Creates the suite. */
  @SuppressWarnings("NullAway.Init") // JUnit starts the application before the tests
  protected ApplicationBehaviour() {}

  /** Starts an application with further properties. */
  abstract RunningApplication start(List<String> properties);

  @BeforeAll
  final void startApplication() {
    application = start(RULES);
  }

  @AfterAll
  final void stopApplication() {
    application.close();
  }

  @Override
  public final URI baseUri() {
    return application.uri();
  }

  /** Returns a client with an address of its own. */
  final LoopbackClient client() {
    return new LoopbackClient(application.uri());
  }

  /** Returns a user that no other test has. */
  final String user() {
    return UUID.randomUUID().toString();
  }

  /** Waits until so many callers wait for a refill. */
  final void awaitWaiting(int callers) {
    AtomicInteger waiting = application.context().getBean(AtomicInteger.class);
    await().atMost(Duration.ofSeconds(20)).until(() -> waiting.get() == callers);
  }

  /** Resets the buckets of a rule until no request waits. */
  final void refillUntilNobodyWaits(String rule) {
    RateLimitEngine engine = application.context().getBean(RateLimitEngine.class);
    AtomicInteger waiting = application.context().getBean(AtomicInteger.class);
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              engine.reset(BucketReset.ofRule(rule)).toCompletableFuture().get();
              return waiting.get() == 0;
            });
  }

  static void assertDenied(Response response) {
    assertThat(response.status()).as(response.toString()).isEqualTo(429);
    assertThat(response.header("Content-Type")).startsWith("application/problem+json");
    assertThat(response.header("Retry-After")).isNotEmpty();
    assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("0");
    assertThat(response.body()).contains("\"status\":429").endsWith("}");
  }

  @Test
  final void throwingObserversChangeNoDecision() {
    LoopbackClient client = client();
    for (int i = 2; i >= 0; i--) {
      assertThat(client.get("/filtered").header("X-RateLimit-Remaining")).isEqualTo("" + i);
    }
    assertDenied(client.get("/filtered"));
  }

  @Test
  final void throwingMethodRunsOnceAndItsErrorReachesTheClient() {
    LoopbackClient client = client();
    Response first = client.get("/throws");
    Response second = client.get("/throws");

    assertThat(first.status()).isEqualTo(500);
    assertThat(first.body()).isEqualTo("handled: own error 1");
    assertThat(first.header("X-RateLimit-Remaining")).isEqualTo("9");
    assertThat(second.body()).isEqualTo("handled: own error 2");
    assertThat(second.header("X-RateLimit-Remaining")).isEqualTo("8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "stage", "mono", "local"})
  final void handlersOfExceptionDoNotSeeDenials(String endpoint) {
    LoopbackClient client = client();
    String path = "/method/" + endpoint + "?user=" + user();
    assertThat(client.get(path).status()).isEqualTo(200);

    Response denied = client.get(path);

    assertThat(denied.status()).as(denied.toString()).isEqualTo(429);
    assertThat(denied.header("Content-Type")).startsWith("application/problem+json");
    assertThat(denied.header("Retry-After")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"publisher", "plain"})
  final void handlerOfDenialsWinsInAnyAdvice(String endpoint) {
    LoopbackClient client = client();
    String path = "/method/advised/" + endpoint + "?user=" + user();
    assertThat(client.get(path).status()).isEqualTo(200);

    Response denied = client.get(path);

    assertThat(denied.status()).isEqualTo(418);
    assertThat(denied.body()).isEqualTo("advised AdvisedDenials." + endpoint);
  }

  @Test
  final void handlerOfDenialsWins() {
    LoopbackClient client = client();
    String path = "/method/own?user=" + user();
    client.get(path);

    Response denied = client.get(path);

    assertThat(denied.status()).isEqualTo(418);
    assertThat(denied.body()).isEqualTo("own OwnDenials.limited");
  }

  @Test
  final void callerIsTheAddressWithoutAUser() {
    LoopbackClient client = client();
    assertThat(client.get("/method/caller").status()).isEqualTo(200);
    assertDenied(client.get("/method/caller", "X-Forwarded-For: 192.0.2.1"));
    assertThat(client().get("/method/caller").status()).isEqualTo(200);
  }

  @Test
  final void trustedProxyNamesTheClientByItsLastHop() {
    LoopbackClient proxy = new LoopbackClient(application.uri(), PROXY);
    String client = "198.51.100." + (int) (Math.random() * 250);
    for (int i = 2; i >= 0; i--) {
      String hops = "X-Forwarded-For: 192.0.2." + i + ", " + client;
      assertThat(proxy.get("/filtered", hops).header("X-RateLimit-Remaining")).isEqualTo("" + i);
    }
    assertDenied(proxy.get("/filtered", "X-Forwarded-For: 192.0.2.77, " + client));
    assertThat(proxy.get("/filtered", "X-Forwarded-For: " + client + ", 203.0.113.8").status())
        .isEqualTo(200);
  }

  @Test
  final void secondFilterDeniesToo() {
    LoopbackClient client = client();
    assertThat(client.get("/filtered/twice").header("X-RateLimit-Limit")).isEqualTo("2");
    assertThat(client.get("/filtered/twice").header("X-RateLimit-Remaining")).isEqualTo("0");
    Response denied = client.get("/filtered/twice");
    assertDenied(denied);
    assertThat(denied.body()).contains("\"ruleId\":\"twice\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/filtered/async", "/filtered/error"})
  final void laterDispatchesAreNotCounted(String path) {
    LoopbackClient client = client();
    for (int i = 2; i >= 0; i--) {
      assertThat(client.get(path).header("X-RateLimit-Remaining")).isEqualTo("" + i);
    }
    assertDenied(client.get(path));
  }

  @Test
  final void headCountsLikeGet() {
    LoopbackClient client = client();
    client.get("/filtered");
    assertThat(client.send("HEAD", "/filtered", List.of()).header("X-RateLimit-Remaining"))
        .isEqualTo("1");
  }

  @Test
  final void waiterIsAllowedAfterTheRefill() {
    LoopbackClient client = client();
    assertThat(client.get("/waiting").status()).isEqualTo(200);
    assertThat(client.get("/waiting").status()).isEqualTo(200);
  }

  @Test
  final void threeOfFiveWaitersAreDeniedAtOnceWithTwoPermits() throws Exception {
    LoopbackClient client = client();
    assertThat(client.get("/slow").status()).isEqualTo(200);
    ExecutorService threads = Executors.newFixedThreadPool(5);
    try {
      CompletionService<Response> responses = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < 5; i++) {
        responses.submit(() -> client.get("/slow"));
      }
      for (int i = 0; i < 3; i++) {
        assertThat(responses.take().get().status()).as("while two wait").isEqualTo(429);
      }
      awaitWaiting(2);
      // A reset gives the bucket its only token at once, so the test does not depend on time.
      RateLimitEngine engine = application.context().getBean(RateLimitEngine.class);
      for (int i = 0; i < 2; i++) {
        engine.reset(BucketReset.ofRule("slow")).toCompletableFuture().get();
        assertThat(responses.take().get().status()).as("after a reset").isEqualTo(200);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  final void hostileRequestsAreNoServerErrors() {
    LoopbackClient client = client();
    String x = "x".repeat(3000);
    List<List<String>> headers =
        List.of(
            List.of("X-Forwarded-For: " + "1.2.3.4, ".repeat(300) + "x"),
            List.of("X-Forwarded-For: ,,, ,", "Forwarded: for=;;;="),
            List.of("X-API-Key: " + x, "X-API-Key: \u00e4\u00f6"),
            List.of("Authorization: Bearer " + x),
            List.of("Origin: null", "Origin: https://x"),
            List.of("X-Empty:", "X-Empty: "));
    for (List<String> each : headers) {
      assertNotBroken(client().send("GET", "/filtered", each));
    }
    for (String path :
        List.of("/filtered/" + x, "/filtered/%00", "/%c0%ae%c0%ae/filtered", "/%", "/filtered?%")) {
      assertNotBroken(client().get(path));
    }
    for (String method : List.of("get", "GETT", "OPTIONS", "TRACE")) {
      assertNotBroken(client.send(method, "/filtered", List.of()));
    }
    assertNotBroken(client.send("OPTIONS", "*", List.of()));
  }

  /** The advice of the application handles what is no error of filters. */
  private static void assertNotBroken(Response response) {
    assertThat(response.status() == 500 && !response.body().startsWith("handled: "))
        .as(response.toString())
        .isFalse();
  }
}
