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
import java.io.DataInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HTTP/2 without TLS. */
@Timeout(60)
class Http2Test {
  private static final String RULES =
      "rules: [{ id: ten, path: /ten, limit: 10/d }, { id: closed, path: /closed, action: DENY }]";

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int END_STREAM = 1;
  private static final int END_STREAM_AND_HEADERS = 5;

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
