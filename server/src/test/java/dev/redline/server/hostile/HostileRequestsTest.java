package dev.redline.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.RawClient;
import dev.redline.server.RawClient.Response;
import dev.redline.server.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that are malformed or far too large. {@code -Dredline.generated-bodies=1000000} sends
 * more generated bodies than the test does otherwise.
 */
@Tag("stress")
@Timeout(900)
class HostileRequestsTest {
  private static final int ATTACKERS = 8;
  private static final int BODIES = Integer.getInteger("redline.generated-bodies", 20_000);
  private static final String RULES =
      """
      plans: [{ id: gold, limit: 5/s }]
      rules:
        - { id: per-ip, path: /api/**, key: ip, limit: [10/s, 100/m] }
        - { id: tenant, path: "/t/{tenant}", key: ["path:tenant", "header:X-A"], limit: 3/h }
        - { id: closed, path: /closed, action: DENY }
        - { id: user, key: userId, limit: 1000/s, mode: SHADOW, onMissingIdentity: SKIP }
      """;

  private static TestServer server;
  private static Bystander bystander;

  @BeforeAll
  static void start() throws IOException {
    server =
        TestServer.start(
            RULES,
            Map.of(
                "rl.server.body-timeout",
                "2s",
                "rl.server.head-timeout",
                "2s",
                "rl.server.inline-limits",
                "true",
                "rl.identity.jwt.hmac-secret",
                "a secret of more than thirty-two bytes"));
    bystander = new Bystander(server.server().port());
  }

  @AfterAll
  static void stop() throws IOException {
    bystander.close();
    server.close();
  }

  private static String exchange(String bytes) throws IOException {
    try (RawClient client = new RawClient(server.server().port())) {
      try {
        client.send(bytes);
      } catch (IOException e) {
        // The server has closed the connection, after a response perhaps.
        assertThat(e).isNotNull();
      }
      return client.rest();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\r\n\r\n\r\n\r\nnonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / HTTP/1.1\r\nHost x\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\nA b: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 6\r\n\r\nhello",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
        "G\u0001T / HTTP/1.1\r\nHost: x\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
      })
  void malformedHeadsAreAnsweredWith400OrClosed(String bytes) throws IOException {
    try (RawClient client = new RawClient(server.server().port())) {
      client.send(bytes);
      Response answer = client.response();
      if (answer != null) {
        assertThat(answer.head())
            .matches("(?s)HTTP/1.1 4\\d\\d .*")
            .contains("application/problem+json");
        assertThat(answer.body()).startsWith("{").doesNotContain("Exception");
      }
    }
  }

  @Test
  void requestIsNotReadInTwoWays() throws IOException {
    // RFC 9112, 6.1: Transfer-Encoding overrides Content-Length, or the request is rejected.
    String answer =
        exchange(
            String.join(
                "\r\n",
                "POST /v1/check HTTP/1.1",
                "Host: x",
                "Content-Length: 40",
                "Transfer-Encoding: chunked",
                "",
                "0",
                "",
                "GET /smuggled HTTP/1.1",
                "X: y",
                "",
                ""));
    assertThat(answer).doesNotContain("smuggled");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/9.9", "HTTP/2.0", "HTTP/0.9", "HTTP/1.2"})
  void unknownVersionsAreAnsweredWith505(String version) throws IOException {
    assertThat(exchange("GET /v1/check " + version + "\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 505 ")
        .contains("application/problem+json")
        .contains(version);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x\r\n",
        "-1\r\n",
        "5\r\nhelloXX",
        "FFFFFFFFFFFFFFFFF\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n"
      })
  void malformedChunksAreAnsweredWith400(String chunks) throws IOException {
    String answer =
        exchange(
            "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks);

    assertThat(answer)
        .startsWith("HTTP/1.1 400 ")
        .contains("application/problem+json")
        .containsIgnoringCase("\r\nconnection: close\r\n");
  }

  @Test
  void largeHeadersAreAnsweredWith431() throws IOException {
    String one = "GET /nowhere HTTP/1.1\r\nHost: x\r\nX-Big: " + "x".repeat(1 << 20) + "\r\n\r\n";
    String many = "GET /nowhere HTTP/1.1\r\nHost: x\r\n" + "X-A: b\r\n".repeat(100_000) + "\r\n";
    String endless = "GET /nowhere HTTP/1.1\r\nHost: x\r\nX-Big: " + "x".repeat(1 << 20);
    String name = "GET /nowhere HTTP/1.1\r\nHost: x\r\n" + "x".repeat(1 << 20) + ": y\r\n\r\n";
    for (String bomb : new String[] {one, many, endless, name}) {
      assertThat(exchange(bomb)).startsWith("HTTP/1.1 431 ").contains("application/problem+json");
    }
    assertThat(exchange("GET /" + "x".repeat(1 << 20) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 414 ")
        .contains("application/problem+json");
  }

  @Test
  void largeTrailersAreRejected() throws IOException {
    String answer =
        exchange(
            "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Big: "
                + "x".repeat(1 << 20)
                + "\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 431 ").contains("application/problem+json");
  }

  @Test
  void hugeBodiesAreAnsweredWithoutBeingRead() throws IOException {
    String megabyte = "x".repeat(1 << 20);
    String chunk = Integer.toHexString(1 << 20) + "\r\n" + megabyte + "\r\n";
    for (String head :
        new String[] {
          "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n",
          "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        }) {
      try (RawClient client = new RawClient(server.server().port())) {
        client.send(head);
        int sent = 0;
        try {
          while (sent < 100) {
            client.send(head.contains("chunked") ? chunk : megabyte);
            sent++;
          }
        } catch (IOException e) {
          assertThat(sent).as("megabytes, buffers of sockets included").isLessThan(50);
        }
        assertThat(sent).isLessThan(100);
      }
      try (RawClient client = new RawClient(server.server().port())) {
        client.send(head);
        if (head.contains("chunked")) {
          client.send(chunk + chunk);
        }
        assertThat(client.response().status()).isEqualTo(413);
      }
    }
    bystander.assertNotDisturbed();
  }

  private static Response post(String path, byte[] body) throws IOException {
    try (RawClient client = new RawClient(server.server().port())) {
      send(client, path, body);
      return client.response();
    }
  }

  private static void send(RawClient client, String path, byte[] body) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(
        ("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(body);
    client.send(request.toByteArray());
  }

  @Test
  void invalidUtf8AndDeepNestingAreAnsweredWith400() throws IOException {
    byte[] text = "{\"request\":{\"userId\":\"????\"}}".getBytes(StandardCharsets.US_ASCII);
    for (int[] bytes :
        new int[][] {{0xff}, {0xc0, 0x80}, {0xed, 0xa0, 0x80}, {0xf8, 0x88}, {0xe2, 0x28}}) {
      byte[] body = text.clone();
      for (int i = 0; i < bytes.length; i++) {
        body[22 + i] = (byte) bytes[i];
      }
      assertThat(post("/v1/check", body).status()).isEqualTo(400);
    }
    for (String open : new String[] {"[", "{\"a\":", "{\"limit\":[", "{\"request\":{\"x\":["}) {
      String nested = open.repeat((1 << 20) / open.length());
      for (String path : new String[] {"/v1/check", "/v1/check/batch", "/v1/explain"}) {
        for (String start :
            new String[] {"", "{\"ruleId\":\"per-ip\",\"limit\":", "{\"checks\":[{\"bands\":"}) {
          byte[] body = (start + nested).getBytes(StandardCharsets.US_ASCII);
          byte[] cut = java.util.Arrays.copyOf(body, Math.min(body.length, 1 << 20));
          assertThat(post(path, cut).status()).isEqualTo(400);
        }
      }
    }
    bystander.assertNotDisturbed();
  }

  /** A body of nearly 1 MiB with one path takes tens of milliseconds to decide. */
  @Test
  void largeValidBodiesDelayNoOtherCaller() throws Exception {
    byte[] body =
        ("{\"request\":{\"path\":\"/large" + "/%2561".repeat(140_000) + "\"}}")
            .getBytes(StandardCharsets.US_ASCII);
    Map<Integer, Integer> statuses = new ConcurrentHashMap<>();
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService attackers = Executors.newFixedThreadPool(ATTACKERS);
    List<Future<?>> attacks = new ArrayList<>();
    for (int i = 0; i < ATTACKERS; i++) {
      attacks.add(
          attackers.submit(
              () -> {
                try (RawClient client = new RawClient(server.server().port())) {
                  while (!over.get()) {
                    send(client, "/v1/check", body);
                    statuses.merge(client.response().status(), 1, Integer::sum);
                  }
                }
                return null;
              }));
    }
    try {
      await().until(() -> !statuses.isEmpty());
      bystander.assertNotDisturbed();
    } finally {
      over.set(true);
      attackers.shutdown();
    }
    for (Future<?> attack : attacks) {
      attack.get(60, TimeUnit.SECONDS);
    }
    assertThat(statuses.keySet()).contains(200).isSubsetOf(200, 503);
  }

  @Test
  void generatedBodiesAreAnsweredWith2xxOr4xx() throws IOException {
    String[] paths = {"/v1/check", "/v1/check/batch", "/v1/explain"};
    long seed = Long.getLong("redline.seed", System.nanoTime());
    BodyGenerator generator = new BodyGenerator(new Random(seed));
    Map<Integer, Integer> statuses = new TreeMap<>();
    int batch = 20;
    RawClient client = new RawClient(server.server().port());
    for (int i = 0; i < BODIES; i += batch) {
      byte[][] bodies = new byte[batch][];
      for (int j = 0; j < batch; j++) {
        bodies[j] = generator.next();
        send(client, paths[(i + j) % paths.length], bodies[j]);
      }
      for (int j = 0; j < batch; j++) {
        Response response = client.response();
        assertThat(response).as("seed %s: a response to %s", seed, text(bodies[j])).isNotNull();
        int status = response.status();
        assertThat(status / 100)
            .as("seed %s: status %s of %s", seed, status, text(bodies[j]))
            .isIn(2, 4);
        statuses.merge(status, 1, Integer::sum);
      }
    }
    client.close();
    System.out.println(BODIES + " generated bodies: " + statuses);
    assertThat(statuses).containsKeys(200, 400);
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.ISO_8859_1);
  }
}
