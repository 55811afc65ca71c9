package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HTTP/2 without TLS. */
@Timeout(60)
class Http2Test {
  private static final String RULES =
      "rules: [{ id: ten, path: /ten, limit: 10/d }, { id: closed, path: /closed, action: DENY }]";

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int END_STREAM_AND_HEADERS = 5;

  private static final int INITIAL_WINDOW = 65_535;

  private static TestServer server;
  private static Vertx vertx;
  private static HttpClientAgent client;

  /** A response with its body. */
  private record Answer(HttpClientResponse head, String body) {}

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start(RULES, Map.of("rl.server.body-timeout", "1s"));
    vertx = Vertx.vertx();
    client = client(vertx);
  }

  /** Returns a client that speaks HTTP/2 from its first byte, on one connection. */
  private static HttpClientAgent client(Vertx vertx) {
    return vertx.createHttpClient(
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false),
        new PoolOptions().setHttp2MaxSize(1));
  }

  @AfterAll
  static void stop() {
    vertx.close();
    server.close();
  }

  private static Future<Answer> send(HttpMethod method, String uri, String body, String... header) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setHost("localhost")
            .setPort(server.server().port())
            .setURI(uri);
    for (int i = 0; i < header.length; i += 2) {
      options.addHeader(header[i], header[i + 1]);
    }
    return onEventLoop(
        () ->
            client
                .request(options)
                .compose(
                    request -> body == null ? request.send() : request.send(Buffer.buffer(body)))
                .compose(Http2Test::withBody));
  }

  private static Future<Answer> withBody(HttpClientResponse response) {
    return response.body().map(bytes -> new Answer(response, bytes.toString()));
  }

  /**
   * Runs an exchange on an event loop of the client. On another thread a step may be added to a
   * future that is complete already; that step then runs at once, and misses a body that arrives
   * meanwhile.
   */
  private static Future<Answer> onEventLoop(Supplier<Future<Answer>> exchange) {
    Promise<Answer> answer = Promise.promise();
    vertx.runOnContext(nothing -> exchange.get().onComplete(answer));
    return answer.future();
  }

  private static Answer get(Future<Answer> answer) throws Exception {
    return answer.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @Test
  void answersClientThatUpgrades() throws Exception {
    HttpClient upgrading = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> response =
          upgrading.send(
              HttpRequest.newBuilder(server.uri("/v1/check"))
                  .POST(BodyPublishers.ofString("{\"request\":{}}"))
                  .build(),
              BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(response.body()).contains("NO_MATCHING_RULE");
    }
  }

  /** Such a client waits for ever if a stream is reset while it sends. */
  @Test
  void answersBeforeTheBodyIsReadAndReadsTheRest() throws Exception {
    HttpClient upgrading = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    upgrading.send(
        HttpRequest.newBuilder(server.uri("/v1/rules")).build(), BodyHandlers.discarding());
    for (int size : List.of(300_000, 3_000_000)) {
      String body = " ".repeat(size);
      assertThat(status(upgrading, "POST", "/nowhere", body)).isEqualTo(404);
      assertThat(status(upgrading, "PUT", "/v1/check", body)).isEqualTo(405);
      assertThat(status(upgrading, "POST", "/v1/check", body, "Content-Type", "text/plain"))
          .isEqualTo(415);
      assertThat(status(upgrading, "POST", "/v1/forward-auth", body, "X-Forwarded-Uri", "/closed"))
          .isEqualTo(403);
    }
    String tooLarge = " ".repeat(3_000_000);
    assertThat(status(upgrading, "POST", "/v1/check", tooLarge)).isEqualTo(413);
    // Its length is not known, so it is rejected while it is read.
    HttpRequest chunked =
        HttpRequest.newBuilder(server.uri("/v1/check"))
            .timeout(Duration.ofSeconds(10))
            .POST(
                BodyPublishers.ofInputStream(
                    () -> new ByteArrayInputStream(tooLarge.getBytes(StandardCharsets.US_ASCII))))
            .build();
    assertThat(upgrading.send(chunked, BodyHandlers.ofString()).statusCode()).isEqualTo(413);
  }

  @Test
  void rejectsLargeBodiesWithoutTokenAndReadsThem() throws Exception {
    HttpClient upgrading = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    try (TestServer guarded =
        TestServer.start(RULES, Map.of("rl.server.auth.tokens.proxy", "a token of 16 or more"))) {
      for (int i = 0; i < 4; i++) {
        HttpRequest request =
            HttpRequest.newBuilder(guarded.uri("/v1/check"))
                .timeout(Duration.ofSeconds(10))
                .POST(BodyPublishers.ofString(" ".repeat(1_000_000)))
                .build();
        assertThat(upgrading.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(401);
      }
    }
  }

  private static int status(
      HttpClient client, String method, String uri, String body, String... header)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(uri))
            .timeout(Duration.ofSeconds(10))
            .method(method, BodyPublishers.ofString(body));
    if (header.length > 0) {
      request.headers(header);
    }
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(response.body()).contains("\"status\":" + response.statusCode());
    return response.statusCode();
  }

  @Test
  void resetsStreamWhoseUnneededBodyDoesNotEnd() throws Exception {
    try (RawClient raw = new RawClient(server.server().port())) {
      UnendingBodies bodies = new UnendingBodies(raw, 1);

      // Sends no more, but does not end the stream either.
      while (bodies.open.contains(1)) {
        bodies.readFrame();
      }
      assertThat(bodies.answered).containsExactly(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 4", "3, 12", "90, 16"})
  void discardsSoMuchOfUnneededBodies(int streams, int megabytes) throws Exception {
    try (RawClient raw = new RawClient(server.server().port())) {
      UnendingBodies bodies = new UnendingBodies(raw, streams);

      bodies.sendUntilReset();

      assertThat(bodies.answered).hasSize(streams);
      assertThat(bodies.sent)
          .isLessThanOrEqualTo((megabytes << 20) + (streams + 8) * UnendingBodies.CHUNK);
    }
  }

  /** Bodies that never end, of requests that are answered before their bodies are read. */
  private static final class UnendingBodies {
    static final int CHUNK = 1 << 14;

    final Set<Integer> open = new TreeSet<>();
    final Set<Integer> answered = new TreeSet<>();
    long sent;
    private final RawClient raw;
    private final DataInputStream in;
    private final Map<Integer, Integer> windows = new HashMap<>();

    UnendingBodies(RawClient raw, int streams) throws IOException {
      this.raw = raw;
      this.in = new DataInputStream(raw.in());
      raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      raw.send(frame(SETTINGS, 0, 0, ""));
      windows.put(0, INITIAL_WINDOW);
      for (int i = 0; i < streams; i++) {
        int stream = 2 * i + 1;
        raw.send(frame(HEADERS, END_HEADERS, stream, head("POST")));
        open.add(stream);
        windows.put(stream, INITIAL_WINDOW);
      }
    }

    void sendUntilReset() throws IOException {
      String chunk = " ".repeat(CHUNK);
      while (!open.isEmpty()) {
        int before = windows.get(0);
        for (int stream : List.copyOf(open)) {
          if (open.contains(stream) && windows.get(0) >= CHUNK && windows.get(stream) >= CHUNK) {
            raw.send(frame(DATA, 0, stream, chunk));
            sent += CHUNK;
            windows.merge(0, -CHUNK, Integer::sum);
            windows.merge(stream, -CHUNK, Integer::sum);
          }
        }
        while (in.available() > 0 || (windows.get(0) == before && !open.isEmpty())) {
          before = -1;
          readFrame();
        }
      }
    }

    void readFrame() throws IOException {
      int lengthAndType = in.readInt();
      int flags = in.read();
      int stream = in.readInt();
      ByteBuffer payload = ByteBuffer.wrap(in.readNBytes(lengthAndType >>> 8));
      int type = lengthAndType & 0xff;
      if (type == RST_STREAM) {
        // Further ones are for frames that were on their way.
        if (open.remove(stream)) {
          assertThat(payload.getInt()).as("error code").isZero();
        }
      } else if (type == WINDOW_UPDATE) {
        windows.merge(stream, payload.getInt(), Integer::sum);
      } else if ((flags & END_STREAM) != 0 && (type == DATA || type == HEADERS)) {
        answered.add(stream);
      }
    }
  }

  @Test
  void answersClientWithPriorKnowledge() throws Exception {
    Answer answer = get(send(HttpMethod.POST, "/v1/check", "{\"request\":{\"path\":\"/closed\"}}"));

    assertThat(answer.head().version()).isEqualTo(HttpVersion.HTTP_2);
    assertThat(answer.head().statusCode()).isEqualTo(403);
    assertThat(answer.body()).contains("BLOCKED");
  }

  @Test
  void decidesOnManyConcurrentRequestsOfOneConnectionExactly() throws Exception {
    List<Future<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      answers.add(send(HttpMethod.POST, "/v1/check", "{\"request\":{\"path\":\"/ten\"}}"));
    }
    int allowed = 0;
    for (Future<Answer> answer : answers) {
      HttpClientResponse head = get(answer).head();
      int status = head.statusCode();
      assertThat(status).isIn(200, 429);
      assertThat(head.headers().names()).contains("x-ratelimit-limit", "x-ratelimit-remaining");
      allowed += status == 200 ? 1 : 0;
    }
    assertThat(allowed).isEqualTo(10);
  }

  @Test
  void answersErrorsWithoutConnectionHeader() throws Exception {
    String large = "x".repeat(2 << 20);
    Map<Integer, Future<Answer>> answers =
        Map.of(
            400, send(HttpMethod.POST, "/v1/check", "nonsense"),
            404, send(HttpMethod.GET, "/nowhere", null),
            405, send(HttpMethod.PUT, "/v1/check", "{}"),
            413, send(HttpMethod.POST, "/v1/check", large),
            415, send(HttpMethod.POST, "/v1/check", "{}", "Content-Type", "text/plain"),
            403, send(HttpMethod.POST, "/v1/forward-auth", large, "X-Forwarded-Uri", "/closed"));
    for (Map.Entry<Integer, Future<Answer>> answer : answers.entrySet()) {
      HttpClientResponse head = get(answer.getValue()).head();
      assertThat(head.statusCode()).isEqualTo(answer.getKey());
      assertThat(head.headers().contains("Connection")).isFalse();
      assertThat(head.getHeader("Content-Type")).isEqualTo("application/problem+json");
    }
    assertThat(get(send(HttpMethod.POST, "/v1/check", "{\"request\":{}}")).head().statusCode())
        .isEqualTo(200);
  }

  @Test
  void rejectsLargeHeaders() throws Exception {
    // The other client knows the limit of the server and sends no such request.
    HttpClient upgrading = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    for (String value : List.of("small", "x".repeat(40_000))) {
      HttpResponse<String> response =
          upgrading.send(
              HttpRequest.newBuilder(server.uri("/nowhere")).header("X-Big", value).build(),
              BodyHandlers.ofString());
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(response.statusCode()).isEqualTo(value.equals("small") ? 404 : 431);
    }
  }

  @Test
  void cutsOffLateBodyAndKeepsTheConnection() throws Exception {
    Future<Answer> late =
        onEventLoop(
            () ->
                client
                    .request(
                        new RequestOptions()
                            .setMethod(HttpMethod.POST)
                            .setHost("localhost")
                            .setPort(server.server().port())
                            .setURI("/v1/check"))
                    .compose(
                        request -> {
                          request.setChunked(true).write("{");
                          return request.response();
                        })
                    .compose(Http2Test::withBody));

    assertThat(get(late).head().statusCode()).isEqualTo(408);
    for (int i = 0; i < 3; i++) {
      Answer next = get(send(HttpMethod.POST, "/v1/check", "{\"request\":{}}"));
      assertThat(next.head().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void resetsStreamWhoseMethodIsNoTokenAndKeepsTheConnection() throws Exception {
    try (RawClient raw = new RawClient(server.server().port())) {
      raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      raw.send(frame(SETTINGS, 0, 0, ""));
      raw.send(frame(HEADERS, END_STREAM_AND_HEADERS, 1, head("G ET")));
      raw.send(frame(HEADERS, END_STREAM_AND_HEADERS, 3, head("GET")));

      DataInputStream in = new DataInputStream(raw.in());
      List<Integer> resets = new ArrayList<>();
      int answered = 0;
      while (answered == 0) {
        int lengthAndType = in.readInt();
        int flags = in.read();
        int stream = in.readInt();
        in.readNBytes(lengthAndType >>> 8);
        if ((lengthAndType & 0xff) == RST_STREAM) {
          resets.add(stream);
        } else if ((lengthAndType & 0xff) == DATA && (flags & END_STREAM) != 0) {
          answered = stream;
        }
      }
      assertThat(resets).containsExactly(1);
      assertThat(answered).isEqualTo(3);
    }
  }

  /** Returns the head of a request in HPACK, all of it literal. */
  private static String head(String method) {
    StringBuilder block = new StringBuilder();
    for (String field :
        List.of(":method", method, ":scheme", "http", ":path", "/nowhere", ":authority", "x")) {
      block.append(field.startsWith(":") ? "\0" : "").append((char) field.length()).append(field);
    }
    return block.toString();
  }

  private static byte[] frame(int type, int flags, int stream, String payload) {
    return ByteBuffer.allocate(9 + payload.length())
        .putInt(payload.length() << 8 | type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload.getBytes(StandardCharsets.ISO_8859_1))
        .array();
  }
}
