package dev.redline.server.gateways;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.redline.server.TestServer;
import dev.redline.server.gateways.Gateway.Kind;
import dev.redline.server.gateways.Gateway.OnFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The recipes of docs/gateways.md, in real proxies, against clients that add every header. */
@Tag("debian")
@Timeout(120)
class GatewaysTest {
  private static final int LIMIT = 14;
  private static final String RULES =
      """
      rules:
        - { id: per-ip, path: /api/**, key: ip, limit: %d/d }
        - { id: closed, path: /closed/**, action: DENY }
        - { id: writes, path: /writes/**, method: POST, action: DENY }
        - { id: per-key, path: /keys/**, key: apiKey, limit: 1/s }
      ruleSets:
        - { id: other, rules: [] }
      """
          .formatted(LIMIT);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final AtomicInteger served = new AtomicInteger();
  private final Queue<String> servedFields = new ConcurrentLinkedQueue<>();
  private TestServer redline;
  private HttpServer application;

  @BeforeEach
  void start() throws IOException {
    redline = TestServer.start(RULES, Map.of());
    application = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    application.createContext(
        "/",
        exchange -> {
          served.incrementAndGet();
          exchange.getRequestHeaders().forEach((name, list) -> servedFields.add(name + list));
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    application.start();
  }

  @AfterEach
  void stop() {
    redline.close();
    application.stop(0);
  }

  private Gateway gateway(Kind kind) throws IOException {
    return gateway(kind, OnFailure.CLOSED);
  }

  private Gateway gateway(Kind kind, OnFailure onFailure) throws IOException {
    return new Gateway(
        kind, onFailure, redline.server().port(), application.getAddress().getPort());
  }

  /** Sends a request with every header by which a client could describe another one. */
  private HttpResponse<String> send(Gateway gateway, String method, String path, int attempt)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + gateway.port() + path);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(20))
            .header("X-Forwarded-Uri", "/open")
            .header("X-Original-URI", "/open")
            .header("X-Original-URL", "http://example.org/open")
            .header("X-Forwarded-Method", "GET")
            .header("X-Original-Method", "GET")
            .header("X-Forwarded-For", "203.0.113." + attempt)
            .header("X-Real-IP", "203.0.113." + attempt)
            .header("Forwarded", "for=203.0.113." + attempt)
            .method(
                method,
                method.equals("POST") ? BodyPublishers.ofString("hello") : BodyPublishers.noBody());
    if (attempt % 2 == 1) {
      // A repeated field must not be taken for the gateway's own.
      request.header("X-Forwarded-Uri", path).header("X-Original-URI", path);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @ParameterizedTest
  @EnumSource
  void limitsAndDeniesForAnyHeadersOfTheClient(Kind kind) throws Exception {
    try (Gateway gateway = gateway(kind)) {
      for (int i = 0; i < 3 * LIMIT; i++) {
        HttpResponse<String> response = send(gateway, "GET", "/api/x?ruleSetId=other", i);
        assertThat(response.statusCode()).as("request %s", i).isEqualTo(i < LIMIT ? 200 : 429);
        if (i >= LIMIT) {
          assertThat(response.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
        }
      }
      assertThat(served).hasValue(LIMIT);
      for (int i = 0; i < 10; i++) {
        HttpResponse<String> closed =
            send(gateway, "GET", "/closed/x?ruleSetId=other&denyStatus=404", i);
        assertThat(closed.statusCode()).isEqualTo(403);
        assertThat(closed.headers().firstValue("Retry-After")).isEmpty();
        assertThat(send(gateway, "POST", "/writes/x", i).statusCode()).isEqualTo(403);
      }
      assertThat(served).hasValue(LIMIT);
    }
  }

  @ParameterizedTest
  @EnumSource
  void forwardsAllowedRequests(Kind kind) throws Exception {
    try (Gateway gateway = gateway(kind)) {
      HttpResponse<String> response = send(gateway, "POST", "/elsewhere?a=b", 0);

      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body()).isEqualTo("hello");
    }
  }

  /** Sends no fields but these and Host, unlike HttpClient. */
  private static int sendWithFields(Gateway gateway, String path, int fields) throws IOException {
    StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < fields; i++) {
      request.append("X-Field-").append(i).append(": value\r\n");
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.append("\r\n").toString().getBytes(US_ASCII));
      String line =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine();
      assertThat(line).as("%s fields", fields).startsWith("HTTP/1.1 ");
      return Integer.parseInt(line.substring(9, 12));
    }
  }

  @ParameterizedTest
  @EnumSource
  void limitsRequestsWithManyFields(Kind kind) throws Exception {
    try (Gateway gateway = gateway(kind, OnFailure.OPEN)) {
      for (int i = 0; i < LIMIT; i++) {
        assertThat(sendWithFields(gateway, "/api/x", 50)).isEqualTo(200);
      }
      // HAProxy accepts 100 with Host.
      for (int fields = 50; fields <= 99; fields++) {
        int status = sendWithFields(gateway, "/api/x", fields);
        assertThat(status).as("%s fields", fields).isBetween(400, 499);
      }
      assertThat(served).hasValue(LIMIT);
      assertThat(sendWithFields(gateway, "/elsewhere", 0)).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @EnumSource
  void givesNoPlaceholderToTheApplication(Kind kind) throws Exception {
    for (OnFailure onFailure : OnFailure.values()) {
      try (Gateway gateway = gateway(kind, onFailure)) {
        assertThat(send(gateway, "GET", "/elsewhere", 0).statusCode()).isEqualTo(200);
      }
    }

    assertThat(servedFields).isNotEmpty().noneMatch(field -> field.matches(".*[{}$].*"));
  }

  @ParameterizedTest
  @EnumSource
  void nginxFailsRequestsThatRedlineRejects(OnFailure onFailure) throws Exception {
    try (Gateway gateway = gateway(Kind.NGINX, onFailure)) {
      URI uri = URI.create("http://127.0.0.1:" + gateway.port() + "/keys/x");
      HttpRequest.Builder request =
          HttpRequest.newBuilder(uri)
              .timeout(Duration.ofSeconds(20))
              .header("X-API-Key", "one")
              .header("X-API-Key", "two");

      HttpResponse<Void> response = client.send(request.build(), BodyHandlers.discarding());

      assertThat(response.statusCode()).isEqualTo(500);
      assertThat(served).hasValue(0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void failsRequestsIfRedlineIsDown(Kind kind) throws Exception {
    try (Gateway gateway = gateway(kind)) {
      redline.close();

      assertThat(send(gateway, "GET", "/elsewhere", 0).statusCode()).isBetween(500, 504);
      assertThat(served).hasValue(0);
    }
  }
}
