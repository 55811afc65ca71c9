package dev.redline.spring.cloud.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.RecordingUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A gateway for which a Redline server decides, whose rules it may not read. */
@Timeout(120)
class RemoteGatewayTest {
  private final RecordingUpstream upstream = new RecordingUpstream();
  private final List<String> checks = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/rules", exchange -> exchange.sendResponseHeaders(401, -1));
    server.createContext(
        "/v1/check/batch",
        exchange -> {
          checks.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          byte[] response =
              "{\"decisions\":[{\"allowed\":true,\"reason\":\"ALLOWED\"}]}"
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, response.length);
          exchange.getResponseBody().write(response);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    upstream.close();
  }

  @Test
  void serverDecidesARequestOnceByAllRules() {
    String route = "--spring.cloud.gateway.server.webflux.routes[0].";
    try (ConfigurableApplicationContext gateway =
        SpringApplication.run(
            Gateway43BehaviourTest.Gateway43.class,
            "--server.port=0",
            "--rl.handler=REMOTE",
            "--rl.remote.uri=http://127.0.0.1:" + server.getAddress().getPort(),
            "--rl.remote.timeout=20s",
            route + "id=shop",
            route + "uri=http://127.0.0.1:" + upstream.port(),
            route + "predicates[0]=Path=/shop",
            route + "filters[0]=Redline=api-limits")) {
      URI uri =
          URI.create(
              "http://127.0.0.1:" + gateway.getEnvironment().getProperty("local.server.port"));

      checks.clear(); // the connection was tried at the start
      assertThat(new LoopbackClient(uri).get("/shop").status()).isEqualTo(200);

      assertThat(upstream.requests("/shop")).isEqualTo(1);
      assertThat(checks).hasSize(1).noneMatch(check -> check.contains("api-limits"));
    }
  }
}
