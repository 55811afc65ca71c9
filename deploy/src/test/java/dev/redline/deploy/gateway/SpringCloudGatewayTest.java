package dev.redline.deploy.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.redline.deploy.DeployFiles;
import dev.redline.deploy.DeployedServer;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** The filter of docs/gateways.md in a real Spring Cloud Gateway. */
@Timeout(180)
class SpringCloudGatewayTest {
  private static final String RULES =
      """
      rules:
        - { id: warm-up, path: /warm-up/**, key: ip, limit: 10000/m, priority: 1, stop: true }
        - { id: ten, path: '/{set}/**', key: [ip, 'path:set'], limit: 10/m }
      """;

  @TempDir Path directory;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger served = new AtomicInteger();
  private final int redlinePort = RedisServer.freePort();
  private HttpServer application;

  @BeforeEach
  void start() throws IOException {
    application = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    application.createContext(
        "/",
        exchange -> {
          served.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    application.start();
  }

  @AfterEach
  void stop() {
    application.stop(0);
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(RedlineFilter.class)
  static class Gateway {}

  private ConfigurableApplicationContext gateway(boolean failOpen) {
    String route = "--spring.cloud.gateway.server.webflux.routes[0].";
    return new SpringApplicationBuilder(Gateway.class)
        .run(
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--redline.uri=http://127.0.0.1:" + redlinePort,
            "--redline.fail-open=" + failOpen,
            route + "id=app",
            route + "uri=http://127.0.0.1:" + application.getAddress().getPort(),
            route + "predicates[0]=Path=/**");
  }

  private DeployedServer redline(String name) throws Exception {
    return new DeployedServer(
        Files.createDirectories(directory.resolve(name)),
        RULES,
        Map.of("RL_STORAGE_TYPE", "LOCAL", "RL_SERVER_PORT", Integer.toString(redlinePort)));
  }

  private HttpResponse<String> get(ConfigurableApplicationContext gateway, String path)
      throws Exception {
    int port = ((WebServerApplicationContext) gateway).getWebServer().getPort();
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(20))
            .header("X-Forwarded-Uri", "/elsewhere")
            .header("X-Original-URI", "/elsewhere")
            .header("X-Forwarded-For", "203.0.113.9")
            .build(),
        BodyHandlers.ofString());
  }

  private void assertLimited(ConfigurableApplicationContext gateway, String path) throws Exception {
    // The first calls of a new JVM may take longer than the filter waits.
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> get(gateway, "/warm-up/x").headers().map().containsKey("X-RateLimit-Limit"));
    int before = served.get();
    for (int i = 1; i <= 10; i++) {
      HttpResponse<String> response = get(gateway, path);
      assertThat(response.statusCode()).as("request %s", i).isEqualTo(200);
      assertThat(response.headers().firstValue("X-RateLimit-Remaining"))
          .hasValue(Integer.toString(10 - i));
    }
    HttpResponse<String> eleventh = get(gateway, path);
    assertThat(eleventh.statusCode()).isEqualTo(429);
    assertThat(eleventh.headers().firstValueAsLong("Retry-After").orElse(0)).isBetween(1L, 6L);
    assertThat(eleventh.headers().firstValue("X-RateLimit-Limit")).hasValue("10");
    assertThat(eleventh.body()).contains("quota-exceeded");
    assertThat(served).hasValue(before + 10);
  }

  @Test
  void limitsThenFailsAsConfiguredThenLimitsAgain() throws Exception {
    try (ConfigurableApplicationContext open = gateway(true);
        ConfigurableApplicationContext closed = gateway(false)) {
      try (DeployedServer first = redline("first")) {
        assertThat(first.check("/x", "192.0.2.1")).isEqualTo(200);
        assertLimited(open, "/open/x?a=b");
        assertLimited(closed, "/closed/x");
      }
      int before = served.get();
      assertThat(get(closed, "/closed/x").statusCode()).isEqualTo(503);
      assertThat(served).hasValue(before);
      assertThat(get(open, "/open/x").statusCode()).isEqualTo(200);
      assertThat(served).hasValue(before + 1);
      try (DeployedServer second = redline("second")) {
        assertThat(second.check("/x", "192.0.2.1")).isEqualTo(200);
        assertLimited(open, "/open/x");
        assertLimited(closed, "/closed/x");
      }
    }
  }

  @Test
  void theDocumentShowsThisFilter() {
    String source = DeployFiles.text("src/test/java/dev/redline/deploy/gateway/RedlineFilter.java");
    String shown = source.substring(source.indexOf("import "));

    assertThat(DeployFiles.text("../docs/gateways.md"))
        .contains("\n```java unchecked\n" + shown + "```\n");
  }
}
