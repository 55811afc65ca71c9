package dev.redline.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What routes of Spring Cloud Gateway do that limit by Redline. A test class starts a gateway with
 * {@link #arguments} and a key resolver that returns the header {@code X-User}.
 */
public abstract class GatewayBehaviour extends FilterBehaviour {
  private static final String LIMITER = "rate-limiter=#{@redlineRateLimiter}";

  private final String user = "X-User: " + UUID.randomUUID();

  /** Returns the upstream of the gateway. */
  protected abstract RecordingUpstream upstream();

  /**
   * Returns the command line of the gateway. Its web filter limits by all rules, except below
   * {@code /route}, where routes alone do.
   */
  protected static String[] arguments(RecordingUpstream upstream) {
    List<String> arguments = new ArrayList<>();
    arguments.add("--server.port=0");
    arguments.add("--spring.config.name=none");
    arguments.add("--rl.filter.exclude-patterns=/route/*");
    arguments.add("--rl.wait-for-refill.enabled=true");
    arguments.add("--rl.wait-for-refill.max-concurrent-waits=1");
    rule(arguments, 0, "hello", "/hello", "10/m");
    rule(arguments, 1, "filter", "/route/filter", "2/m");
    rule(arguments, 2, "strip", "/route/strip/**", "2/m");
    rule(arguments, 3, "retry", "/route/retry", "5/m");
    rule(arguments, 4, "headers", "/route/headers", "10/m");
    rule(arguments, 5, "wait", "/route/wait", "1/3s");
    arguments.add("--rl.rule-sets[0].rules[5].on-limit-exceed=WAIT_FOR_REFILL");
    arguments.add("--rl.plans[0].id=gold");
    arguments.add("--rl.plans[0].limit=2/m");
    Routes routes = new Routes(arguments, "http://127.0.0.1:" + upstream.port());
    routes.add("hello", "/hello", "Redline=api-limits");
    routes.add("free", "/free");
    routes.add("filter", "/route/filter", "Redline=api-limits");
    routes.add("default", "/route/default/**", "StripPrefix=2", "Redline");
    routes.add("strip", "/route/strip/**", "StripPrefix=1", "Redline=api-limits");
    routes.add("retry", "/route/retry", "Retry=3", "Redline=api-limits");
    routes.add("headers", "/route/headers", "Redline=api-limits");
    routes.add("wait", "/route/wait", "Redline=api-limits");
    routes.limiter("limit", LIMITER, "redline-rate-limiter.limit=3/m, 100/h");
    routes.limiter(
        "redis",
        LIMITER,
        "redis-rate-limiter.replenishRate=1",
        "redis-rate-limiter.burstCapacity=60",
        "redis-rate-limiter.requestedTokens=20");
    routes.limiter("plan-a", LIMITER, "redline-rate-limiter.plan=gold");
    routes.limiter("plan-b", LIMITER, "redline-rate-limiter.plan=gold");
    routes.limiter(
        "status", "status-code=SERVICE_UNAVAILABLE", LIMITER, "redline-rate-limiter.limit=1/m");
    return arguments.toArray(String[]::new);
  }

  private static void rule(List<String> to, int index, String id, String path, String limit) {
    String rule = "--rl.rule-sets[0].rules[" + index + "].";
    if (index == 0) {
      to.add("--rl.rule-sets[0].id=api-limits");
    }
    to.add(rule + "id=" + id);
    to.add(rule + "path=" + path);
    to.add(rule + "key=ip");
    to.add(rule + "limit=" + limit);
  }

  /** Writes routes as properties of the gateway. */
  private static final class Routes {
    private final List<String> to;
    private final String uri;
    private int routes;

    Routes(List<String> to, String uri) {
      this.to = to;
      this.uri = uri;
    }

    private String next(String id, String path) {
      String route = "--spring.cloud.gateway.server.webflux.routes[" + routes++ + "].";
      to.add(route + "id=" + id);
      to.add(route + "uri=" + uri);
      to.add(route + "predicates[0]=Path=" + path);
      return route;
    }

    void add(String id, String path, String... filters) {
      String route = next(id, path);
      for (int i = 0; i < filters.length; i++) {
        to.add(route + "filters[" + i + "]=" + filters[i]);
      }
    }

    void limiter(String id, String... arguments) {
      String filter = next(id, "/route/" + id) + "filters[0].";
      to.add(filter + "name=RequestRateLimiter");
      for (String argument : arguments) {
        int equals = argument.indexOf('=');
        to.add(
            filter
                + "args["
                + argument.substring(0, equals)
                + "]="
                + argument.substring(equals + 1));
      }
    }
  }

  private int requests(String path) {
    return upstream().requests(path);
  }

  @Test
  void deniedRequestDoesNotReachTheUpstream() {
    LoopbackClient client = client();
    int before = requests("/route/filter");
    assertAllowed(client.get("/route/filter"), 2, 1);
    assertAllowed(client.get("/route/filter"), 2, 0);
    for (int i = 0; i < 5; i++) {
      assertDenied(client.get("/route/filter"), 2, "\"ruleId\":\"filter\"");
    }

    assertThat(requests("/route/filter") - before).isEqualTo(2);
  }

  @Test
  void filterWithoutArgumentAppliesTheRulesOfTheWebFilter() {
    LoopbackClient client = client();
    client.get("/hello");

    // Rules match the path that the client sent, so the rule of /hello does not match this one.
    assertThat(client.get("/route/default/hello").headers()).doesNotContainKey("X-RateLimit-Limit");
    assertAllowed(client.get("/hello"), 10, 8);
  }

  @Test
  void rulesMatchThePathAsTheClientSentIt() {
    LoopbackClient client = client();
    assertAllowed(client.get("/route/strip/x"), 2, 1);
    assertAllowed(client.get("/route/strip/%78"), 2, 0);

    assertThat(client.get("/route/strip/x").status()).isEqualTo(429);
  }

  @Test
  void retriesOfOneRequestAreChargedOnce() {
    Response response = client().get("/route/retry?failures=2");

    assertThat(requests("/route/retry")).isEqualTo(3);
    assertAllowed(response, 5, 4);
  }

  @Test
  void responseHasTheHeadersOfTheSmallestShareLeft() {
    LoopbackClient client = client();
    String plenty = "X-RateLimit-Limit=100&X-RateLimit-Remaining=99&X-RateLimit-Reset=1";
    String little = "X-RateLimit-Limit=100&X-RateLimit-Remaining=5&X-RateLimit-Reset=1";

    assertAllowed(client.get("/route/headers?" + plenty), 10, 9);
    Response ofUpstream = client.get("/route/headers?" + little);
    assertNumbers(ofUpstream, 100, 5);
    assertThat(ofUpstream.header("X-RateLimit-Reset")).isEqualTo("1");
    Response denied = client.get("/route/headers?status=429&Retry-After=7&" + plenty);
    assertNumbers(denied, 100, 99);
    assertThat(denied.header("Retry-After")).isEqualTo("7");
    assertThat(denied.body()).isEqualTo("upstream /route/headers");
  }

  @Test
  void clientThatDisconnectsWhileItWaitsFreesItsPlace() throws InterruptedException {
    LoopbackClient client = client();
    assertThat(client.get("/route/wait").status()).isEqualTo(200);
    int before = requests("/route/wait");

    client.getAndDisconnect("/route/wait", 700);

    // One may wait at a time, so this is denied at once until the gateway sees the disconnection.
    // If it did not, the client that left would get the next token, and the upstream its request.
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    Response response = client.get("/route/wait");
    while (response.status() != 200 && System.nanoTime() < deadline) {
      Thread.sleep(20);
      response = client.get("/route/wait");
    }
    assertThat(response.status()).isEqualTo(200);
    assertThat(requests("/route/wait") - before).isEqualTo(1);
  }

  @Test
  void rateLimiterCountsEachKeyAlone() {
    LoopbackClient client = client();
    int before = requests("/route/limit");
    for (int i = 2; i >= 0; i--) {
      assertAllowed(client.get("/route/limit", user), 3, i);
    }
    Response denied = client.get("/route/limit", user);

    assertThat(denied.status()).isEqualTo(429);
    assertThat(denied.body()).isEmpty();
    assertNumbers(denied, 3, 0);
    assertThat(Integer.parseInt(denied.header("Retry-After"))).isBetween(1, 20);
    assertAllowed(client.get("/route/limit", user + "-other"), 3, 2);
    assertThat(requests("/route/limit") - before).isEqualTo(4);
  }

  @Test
  void rateLimiterUnderstandsArgumentsOfTheRedisLimiter() {
    LoopbackClient client = client();
    assertAllowed(client.get("/route/redis", user), 60, 40);
    client.get("/route/redis", user);
    client.get("/route/redis", user);

    Response denied = client.get("/route/redis", user);

    assertThat(denied.status()).isEqualTo(429);
    assertThat(Integer.parseInt(denied.header("Retry-After"))).isBetween(1, 20);
  }

  @Test
  void planAndKeyAreOneBucketInAllRoutes() {
    LoopbackClient client = client();
    assertAllowed(client.get("/route/plan-a", user), 2, 1);
    assertAllowed(client.get("/route/plan-b", user), 2, 0);

    assertThat(client.get("/route/plan-a", user).status()).isEqualTo(429);
  }

  @Test
  void rateLimiterKeepsTheStatusOfTheRoute() {
    LoopbackClient client = client();
    client.get("/route/status", user);

    assertThat(client.get("/route/status", user).status()).isEqualTo(503);
  }

  @Test
  void emptyKeysShareABucketOfTheirOwn() {
    String empty = "X-User: ";
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      statuses.add(client().get("/route/limit", empty).status());
    }

    assertThat(statuses).containsExactly(200, 200, 200, 429);
    assertThat(client().get("/route/limit", "X-User: x:").status()).isEqualTo(200);
  }
}
