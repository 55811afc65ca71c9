package dev.redline.rules.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a request contains, and answers that a real server gives rarely, or never. */
class NacosProtocolTest {
  private static final String LOGIN = "/nacos/v1/auth/users/login";
  private static final String DOCUMENT = "/nacos/v1/cs/configs";
  private static final String LISTENER = "/nacos/v1/cs/configs/listener";

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<String> urls = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private HttpServer server;
  private NacosConfigProvider source;

  private record Answer(int status, String body) {}

  private static final Answer HANGING = new Answer(0, "");
  private static final Answer ENDLESS = new Answer(1, "");

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
    answers.put(LOGIN, new Answer(200, "{\"accessToken\":\"t0ken-1\",\"tokenTtl\":18000}"));
    answers.put(DOCUMENT, new Answer(200, "rules: []"));
    answers.put(LISTENER, new Answer(200, ""));
    source = new NacosConfigProvider(settings().withLogin("u", "s3cret & more"));
  }

  private NacosSettings settings() {
    return NacosSettings.of("127.0.0.1:" + server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    urls.add(exchange.getRequestURI().toString());
    authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    Answer answer = answers.get(exchange.getRequestURI().getPath());
    if (HANGING.equals(answer)) {
      return;
    }
    if (ENDLESS.equals(answer)) {
      exchange.sendResponseHeaders(200, 0);
      byte[] block = new byte[1 << 16];
      while (true) {
        exchange.getResponseBody().write(block);
      }
    }
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  @Test
  void credentialsAreNeverPartOfAUrl() throws Exception {
    source.load();
    source.awaitChange(Duration.ofSeconds(5));
    assertThat(urls)
        .containsExactly(
            LOGIN, DOCUMENT + "?dataId=redline-rules&group=DEFAULT_GROUP&tenant=", LISTENER);
    assertThat(authorizations).containsExactly("null", "Bearer t0ken-1", "Bearer t0ken-1");
    assertThat(bodies)
        .containsExactly(
            "password=s3cret+%26+more&username=u",
            "",
            "Listening-Configs=redline-rules%02DEFAULT_GROUP%02"
                + Md5.hex("rules: []".getBytes(StandardCharsets.UTF_8))
                + "%02%01");
  }

  @Test
  void namesTheNamespaceUnlessItIsTheDefaultOne() throws Exception {
    NacosConfigProvider other = new NacosConfigProvider(settings().withDocument("dev ü", "g", "d"));
    other.load();
    assertThat(urls).containsExactly(DOCUMENT + "?dataId=d&group=g&tenant=dev+%C3%BC");
  }

  @Test
  void logsInAgainOnceWhenTheTokenIsDenied() throws Exception {
    source.load();
    answers.put(DOCUMENT, new Answer(403, "token expired!"));
    urls.clear();
    assertThatThrownBy(source::load)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("access denied (403)")
        .hasMessageNotContaining("t0ken");
    assertThat(urls).hasSize(3);
    assertThat(urls.get(1)).isEqualTo(LOGIN);

    answers.put(LOGIN, new Answer(200, "{\"accessToken\":\"t0ken-2\",\"tokenTtl\":18000}"));
    answers.put(DOCUMENT, new Answer(200, "rules: []"));
    assertThat(source.load()).isPresent();
  }

  @Test
  void deniedLongPollLogsInAgain() throws Exception {
    source.load();
    answers.put(LISTENER, new Answer(403, ""));
    assertThatThrownBy(() -> source.awaitChange(Duration.ofSeconds(5)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("access denied (403)");
    urls.clear();
    source.load();
    assertThat(urls).contains(LOGIN);
  }

  @Test
  void reportsResponsesToALoginThatAreNotThoseOfNacos() {
    for (String body : new String[] {"<html>", "[]", "{\"tokenTtl\":1}"}) {
      answers.put(LOGIN, new Answer(200, body));
      assertThatThrownBy(source::load)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("login failed: the answer is not that of Nacos");
    }
    answers.put(LOGIN, new Answer(500, "oops"));
    assertThatThrownBy(source::load)
        .hasMessageStartingWith("Nacos DEFAULT_GROUP/redline-rules: login failed: ")
        .hasMessageEndingWith("answered 500: oops");
  }

  @Test
  void tokenThatNoHeaderFieldCanHoldIsAFailureThatDoesNotShowIt() {
    answers.put(LOGIN, new Answer(200, "{\"accessToken\":\"t0ken\\nX: y\",\"tokenTtl\":9}"));
    assertThatThrownBy(source::load)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("login failed: the answer is not that of Nacos")
        .hasMessageNotContaining("t0ken");
  }

  @Test
  void closingEndsAWait() throws Exception {
    source.load();
    answers.put(LISTENER, HANGING);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                source.awaitChange(Duration.ofMinutes(1));
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    waiter.start();
    await().until(() -> urls.contains(LISTENER));
    source.close();
    waiter.join(1000);
    assertThat(waiter.isAlive()).isFalse();
    assertThat(failure).hasNullValue();
  }

  @Test
  void goesOnWithTheLongPollOfThePreviousWait() throws Exception {
    source.load();
    answers.put(LISTENER, HANGING);
    source.awaitChange(Duration.ofMillis(50));
    source.awaitChange(Duration.ofMillis(50));
    await().until(() -> urls.contains(LISTENER));
    assertThat(urls).filteredOn(LISTENER::equals).hasSize(1);

    answers.put(DOCUMENT, new Answer(200, "rules: [] # another"));
    source.load();
    source.awaitChange(Duration.ofMillis(50));
    await().until(() -> urls.stream().filter(LISTENER::equals).count() == 2);
    source.close();
  }

  @Test
  void aDocumentThatDisappearedIsNoEmptyDocument() throws Exception {
    assertThat(source.load()).isPresent();
    answers.put(DOCUMENT, new Answer(404, "config data not exist"));
    assertThat(source.load()).isEmpty();
    source.awaitChange(Duration.ofSeconds(5));
    assertThat(bodies).last().isEqualTo("Listening-Configs=redline-rules%02DEFAULT_GROUP%02%02%01");
  }

  @Test
  void boundsABodyThatNeverEnds() {
    answers.put(DOCUMENT, ENDLESS);
    assertThatThrownBy(source::load)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("Nacos DEFAULT_GROUP/redline-rules: ")
        .hasMessageContaining("does not answer: ");
  }

  @Test
  void tokenWithoutALifetimeIsRenewedForEachRequest() throws Exception {
    answers.put(LOGIN, new Answer(200, "{\"accessToken\":\"t0ken-1\"}"));
    source.load();
    source.load();
    assertThat(urls).filteredOn(LOGIN::equals).hasSize(2);
  }

  @Test
  void usesTheNextServerIfOneDoesNotAnswer() throws Exception {
    int unused;
    try (ServerSocket socket = new ServerSocket(0)) {
      unused = socket.getLocalPort();
    }
    NacosSettings one = settings();
    NacosConfigProvider several =
        new NacosConfigProvider(
            new NacosSettings(
                List.of("127.0.0.1:" + unused, one.servers().get(0)),
                one.namespace(),
                one.group(),
                one.dataId(),
                Optional.empty(),
                one.pollInterval(),
                one.timeout()));
    assertThat(several.load()).isPresent();
    several.awaitChange(Duration.ofSeconds(5));
    assertThat(urls).hasSize(2);

    answers.put(DOCUMENT, new Answer(500, "no leader"));
    assertThatThrownBy(several::load).hasMessageContaining("Nacos DEFAULT_GROUP/redline-rules: ");
  }
}
