package dev.redline.spring.cloud.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.behaviour.RecordingUpstream;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Routes of a gateway whose Redis does not respond, as in docs/gateways.md. */
@Timeout(120)
class RouteFailureStrategyTest {
  private final RecordingUpstream upstream = new RecordingUpstream();

  @AfterEach
  void stop() {
    upstream.close();
  }

  private ConfigurableApplicationContext start(String strategy) {
    String route = "--spring.cloud.gateway.server.webflux.routes[";
    String uri = "http://127.0.0.1:" + upstream.port();
    return SpringApplication.run(
        Gateway43BehaviourTest.Gateway43.class,
        "--server.port=0",
        "--rl.storage.type=REDIS",
        "--rl.redis.uri=redis://127.0.0.1:1",
        "--rl.fail.strategy=" + strategy,
        "--rl.filter.enabled=false",
        "--rl.rules[0].id=all",
        "--rl.rules[0].limit=10/m",
        route + "0].id=filter",
        route + "0].uri=" + uri,
        route + "0].predicates[0]=Path=/filter",
        route + "0].filters[0]=Redline",
        route + "1].id=limiter",
        route + "1].uri=" + uri,
        route + "1].predicates[0]=Path=/limiter",
        route + "1].filters[0].name=RequestRateLimiter",
        route + "1].filters[0].args[redline-rate-limiter.limit]=1/m");
  }

  private static LoopbackClient client(ConfigurableApplicationContext gateway) {
    return new LoopbackClient(
        URI.create(
            "http://127.0.0.1:" + gateway.getEnvironment().getProperty("local.server.port")));
  }

  @Test
  void failsOpen() {
    try (ConfigurableApplicationContext gateway = start("OPEN")) {
      LoopbackClient client = client(gateway);
      for (int i = 0; i < 12; i++) {
        Response response = client.get("/filter");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers()).doesNotContainKey("X-RateLimit-Limit");
        assertThat(client.get("/limiter", "X-User: u").status()).isEqualTo(200);
      }
      assertThat(upstream.requests("/filter")).isEqualTo(12);
    }
  }

  @Test
  void failsClosed() {
    try (ConfigurableApplicationContext gateway = start("CLOSED")) {
      LoopbackClient client = client(gateway);

      Response response = client.get("/filter");

      assertThat(response.status()).isEqualTo(429);
      assertThat(response.header("Retry-After")).isEqualTo("1");
      assertThat(response.body()).contains("#temporary-reduced-capacity");
      assertThat(client.get("/limiter", "X-User: u").status()).isEqualTo(429);
      assertThat(upstream.requests("/filter") + upstream.requests("/limiter")).isZero();
    }
  }
}
