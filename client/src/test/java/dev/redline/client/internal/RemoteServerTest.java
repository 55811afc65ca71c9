package dev.redline.client.internal;

import static dev.redline.client.internal.StubServer.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.client.RemoteSettings;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.UnknownNameException;
import dev.redline.core.store.StoreException;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RemoteServerTest {
  private static final LimitCheck CHECK = LimitCheck.ofRule("r", List.of("a"), 1);
  private static final Duration LONG = Duration.ofSeconds(20);

  private StubServer stub;
  private RemoteServer server;

  @BeforeEach
  void start() throws IOException {
    stub = new StubServer(StubServer::allow);
    server = new RemoteServer(RemoteSettings.of(stub.uri()).withTimeout(LONG));
  }

  @AfterEach
  void stop() {
    server.close();
    stub.close();
  }

  private RateLimitResult decide() {
    return server.decideAndWait(CHECK, false);
  }

  private StoreException failure() {
    try {
      throw new AssertionError("decided: " + decide());
    } catch (StoreException e) {
      return e;
    }
  }

  @Test
  void readsEveryFieldOfADecision() {
    stub.responder(
        (exchange, body) ->
            send(
                exchange,
                200,
                "{\"decisions\":[{\"allowed\":false,\"reason\":\"LIMIT_EXCEEDED\",\"ruleSetId\":\"s\","
                    + "\"ruleId\":\"r\",\"band\":\"b\",\"limit\":1000000000000,\"remaining\":7,"
                    + "\"retryAfterMs\":412,\"resetAtMs\":1763230059412,"
                    + "\"shadowDenied\":[\"new\"],\"degraded\":true}]}"));
    RateLimitResult result = decide();
    assertThat(result.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(result.ruleSetId()).contains("s");
    assertThat(result.ruleId()).contains("r");
    assertThat(result.plan()).isEmpty();
    assertThat(result.band()).contains("b");
    assertThat(result.limit()).hasValue(1_000_000_000_000L);
    assertThat(result.remaining()).hasValue(7);
    assertThat(result.retryAfterMs()).hasValue(412);
    assertThat(result.resetAtMs()).hasValue(1_763_230_059_412L);
    assertThat(result.shadowDenied()).containsExactly("new");
    assertThat(result.degraded()).isTrue();
  }

  @Test
  void absentFieldsStayAbsent() {
    RateLimitResult result = decide();
    assertThat(result.reason()).isEqualTo(Reason.ALLOWED);
    assertThat(result.limit()).isEmpty();
    assertThat(result.retryAfter()).isEmpty();
    assertThat(result.resetAt()).isEmpty();
    assertThat(result.degraded()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "[]",
        "{}",
        "{\"decisions\":{}}",
        "{\"decisions\":[]}",
        "{\"decisions\":[1]}",
        "{\"decisions\":[null]}",
        "{\"decisions\":[{}]}",
        "{\"decisions\":[{\"allowed\":true,\"reason\":\"ALLOWED\"},"
            + "{\"allowed\":true,\"reason\":\"ALLOWED\"}]}",
        "{\"decisions\":[{\"allowed\":true,\"reason\":\"BLOCKED\"}]}",
        "{\"decisions\":[{\"allowed\":true,\"reason\":\"WHAT\"}]}",
        "{\"decisions\":[{\"allowed\":true,\"reason\":\"ALLOWED\",\"band\":\"b\",\"limit\":-1}]}",
        "{\"decisions\":[{\"allowed\":false,\"reason\":\"LIMIT_EXCEEDED\",\"retryAfterMs\":1e300}]}",
        "{\"decisions\":[{\"allowed\":false,\"reason\":\"LIMIT_EXCEEDED\",\"retryAfterMs\":0.5}]}",
        "{\"decisions\":[{\"allowed\":true,\"reason\":\"ALLOWED\"",
        "{\"decisions\":[{\"allowed\":true,\"reason\":\"\\uZZZZ\"}]}",
      })
  void rejectsAResponseOfAnotherForm(String body) {
    stub.responder((exchange, request) -> send(exchange, 200, body));
    assertThat(failure().kind()).isEqualTo(StoreException.Kind.BAD_RESPONSE);
    assertThat(server.health().up()).isFalse();
    stub.responder(StubServer::allow);
    assertThat(decide().allowed()).isTrue();
    assertThat(server.health().up()).isTrue();
  }

  @Test
  void rejectsDeeplyNestedAndVeryLargeResponses() {
    stub.responder((exchange, body) -> send(exchange, 200, "[".repeat(100_000)));
    assertThat(failure().kind()).isEqualTo(StoreException.Kind.BAD_RESPONSE);
    byte[] block = new byte[1 << 20];
    AtomicInteger sent = new AtomicInteger();
    stub.responder(
        (exchange, body) -> {
          exchange.sendResponseHeaders(200, 0);
          for (int i = 0; i < 200; i++) {
            exchange.getResponseBody().write(block);
            sent.incrementAndGet();
          }
        });
    assertThat(failure()).hasMessageContaining("larger than");
    assertThat(sent.get()).isLessThan(100);
  }

  @Test
  void statusesHaveClearErrors() {
    stub.responder((exchange, body) -> send(exchange, 401, ""));
    assertThat(failure()).hasMessageContaining("rl.remote.token").hasMessageContaining("401");
    stub.responder((exchange, body) -> send(exchange, 503, ""));
    assertThat(failure()).hasMessageContaining("overloaded");
    stub.responder((exchange, body) -> send(exchange, 404, "nothing here"));
    assertThat(failure()).hasMessageContaining("404").hasMessageContaining("nothing here");
  }

  @Test
  void followsNoRedirect() throws IOException {
    try (StubServer other = new StubServer(StubServer::allow)) {
      stub.responder(
          (exchange, body) -> {
            exchange.getResponseHeaders().add("Location", other.uri() + "/v1/check/batch");
            send(exchange, 307, "");
          });
      assertThat(failure()).hasMessageContaining("307");
      assertThat(other.bodies()).isEmpty();
    }
  }

  @Test
  void errorsOfOneCheckDoNotAffectOthers() {
    stub.responder(
        (exchange, body) ->
            send(
                exchange,
                200,
                "{\"decisions\":[{\"error\":{\"status\":404,\"title\":\"t\","
                    + "\"detail\":\"unknown rule 'r'\"}}]}"));
    assertThatThrownBy(this::decide)
        .isInstanceOf(UnknownNameException.class)
        .hasMessage("unknown rule 'r'");
    stub.responder(
        (exchange, body) ->
            send(
                exchange,
                200,
                "{\"decisions\":[{\"error\":{\"status\":400,\"detail\":\"bad\"}}]}"));
    assertThatThrownBy(this::decide)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bad");
    stub.responder(
        (exchange, body) ->
            send(exchange, 200, "{\"decisions\":[{\"error\":{\"status\":500,\"detail\":\"x\"}}]}"));
    assertThat(failure().kind()).isEqualTo(StoreException.Kind.UNAVAILABLE);
  }

  @Test
  void checksGatherWhileCallsAreInFlight() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    stub.responder(
        (exchange, body) -> {
          awaitQuietly(release);
          StubServer.allow(exchange, body);
        });
    List<CompletableFuture<RateLimitResult>> decisions = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      decisions.add(server.decide(CHECK, false).toCompletableFuture());
    }
    await().until(() -> !stub.bodies().isEmpty());
    release.countDown();
    CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
    assertThat(stub.bodies().stream().mapToInt(StubServer::checks).sum()).isEqualTo(100);
    assertThat(stub.bodies()).hasSizeLessThan(20);
  }

  @Test
  void aBatchHasAtMostAThousandChecksAndAMegabyte() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    stub.responder(
        (exchange, body) -> {
          awaitQuietly(release);
          StubServer.allow(exchange, body);
        });
    LimitCheck large = LimitCheck.ofRule("r", List.of("x".repeat(10_000)), 1);
    List<CompletableFuture<RateLimitResult>> decisions = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      decisions.add(server.decide(i % 10 == 0 ? large : CHECK, false).toCompletableFuture());
    }
    release.countDown();
    CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
    assertThat(stub.bodies()).allMatch(body -> StubServer.checks(body) <= 1000);
    assertThat(stub.bodies()).allMatch(body -> body.length() <= 1 << 20);
    assertThat(stub.bodies().stream().mapToInt(StubServer::checks).sum()).isEqualTo(4_000);
  }

  @Test
  void rejectsACheckThatNoServerAccepts() {
    LimitCheck huge = LimitCheck.ofRule("r", List.of("x".repeat(2_000_000)), 1);
    assertThatThrownBy(() -> server.decideAndWait(huge, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes");
    assertThat(stub.bodies()).isEmpty();
  }

  @Test
  void aFullQueueFailsAtOnceAndNothingIsSentTwice() {
    CountDownLatch release = new CountDownLatch(1);
    stub.responder(
        (exchange, body) -> {
          awaitQuietly(release);
          StubServer.allow(exchange, body);
        });
    List<CompletableFuture<RateLimitResult>> decisions = new ArrayList<>();
    for (int i = 0; i < 30_000; i++) {
      decisions.add(server.decide(CHECK, false).toCompletableFuture());
    }
    long failed = decisions.stream().filter(CompletableFuture::isCompletedExceptionally).count();
    assertThat(failed).isGreaterThan(10_000);
    release.countDown();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> decisions.stream().allMatch(CompletableFuture::isDone));
    long decided = decisions.stream().filter(each -> !each.isCompletedExceptionally()).count();
    assertThat(stub.bodies().stream().mapToLong(StubServer::checks).sum()).isEqualTo(decided);
    assertThat(decided).isEqualTo(30_000 - failed);
  }

  @Test
  void aTricklingResponseEndsWithTheTimeOut() throws Exception {
    CountDownLatch stopped = new CountDownLatch(1);
    stub.responder(
        (exchange, body) -> {
          exchange.sendResponseHeaders(200, 0);
          try {
            for (int i = 0; i < 3_000; i++) {
              exchange.getResponseBody().write(' ');
              exchange.getResponseBody().flush();
              TimeUnit.MILLISECONDS.sleep(10);
            }
          } catch (IOException e) {
            stopped.countDown();
            throw e;
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    try (RemoteServer hasty =
        new RemoteServer(RemoteSettings.of(stub.uri()).withTimeout(Duration.ofMillis(300)))) {
      assertThatThrownBy(() -> hasty.decideAndWait(CHECK, false))
          .isInstanceOf(StoreException.class);
      assertThat(stopped.await(20, TimeUnit.SECONDS)).as("the connection was closed").isTrue();
    }
  }

  @Test
  void anExpiredCheckIsNeverSent() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    stub.responder(
        (exchange, body) -> {
          awaitQuietly(release);
          StubServer.allow(exchange, body);
        });
    try (RemoteServer hasty =
        new RemoteServer(RemoteSettings.of(stub.uri()).withTimeout(Duration.ofMillis(200)))) {
      List<CompletableFuture<RateLimitResult>> decisions = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        decisions.add(hasty.decide(CHECK, false).toCompletableFuture());
      }
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> decisions.stream().allMatch(CompletableFuture::isDone));
      assertThat(decisions).allMatch(CompletableFuture::isCompletedExceptionally);
      release.countDown();
      stub.responder(StubServer::allow);
      await().until(() -> hasty.decideAndWait(CHECK, false).allowed());
      assertThat(stub.bodies().stream().mapToInt(StubServer::checks).sum()).isLessThan(5_100);
    }
  }

  @Test
  void aCheckThatExpiresBeforeAnyoneWatchesItIsNeverSent() {
    try (RemoteServer hasty =
        new RemoteServer(RemoteSettings.of(stub.uri()).withTimeout(Duration.ofNanos(1)))) {
      for (int i = 0; i < 20; i++) {
        assertThatThrownBy(() -> hasty.decideAndWait(CHECK, false))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("nothing was acquired");
      }
    }
    assertThat(stub.bodies()).isEmpty();
  }

  @Test
  void theFirstCheckFindsTheConnectionOfTheStart() throws Exception {
    Set<Integer> clientPorts = ConcurrentHashMap.newKeySet();
    stub.responder(
        (exchange, body) -> {
          clientPorts.add(exchange.getRemoteAddress().getPort());
          send(exchange, 200, StubServer.decisions(1));
        });
    server.connect().get(20, TimeUnit.SECONDS);
    assertThat(stub.bodies()).hasSize(1);
    assertThat(server.rejections(List.of(CHECK))).containsExactly(Optional.empty());
    assertThat(decide().allowed()).isTrue();
    assertThat(clientPorts).hasSize(1);
  }

  @Test
  void connectingToASilentServerEnds() throws Exception {
    // Connections are accepted by the system, and nothing responds.
    try (ServerSocket silent = new ServerSocket(0);
        RemoteServer unanswered =
            new RemoteServer(
                RemoteSettings.of("http://127.0.0.1:" + silent.getLocalPort())
                    .withTimeout(Duration.ofHours(1)))) {
      unanswered.connect().get(20, TimeUnit.SECONDS);
    }
    stub.close();
    server.connect().get(20, TimeUnit.SECONDS);
    assertThat(server.health().up()).as("no call that counts").isTrue();
  }

  @Test
  void continuationsThatBlockDelayNeitherCallsNorOthers() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicReference<String> thread = new AtomicReference<>("");
    for (int i = 0; i < 50; i++) {
      var unused =
          server
              .decide(CHECK, false)
              .thenAccept(
                  result -> {
                    thread.set(Thread.currentThread().getName());
                    awaitQuietly(release);
                  });
    }
    for (int i = 0; i < 20; i++) {
      assertThat(decide().allowed()).isTrue();
    }
    await().until(() -> !thread.get().isEmpty());
    assertThat(thread.get()).startsWith("redline-client-completion");
    release.countDown();
  }

  @Test
  void closingUnderLoadFailsWhatIsNotDecided() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    stub.responder(
        (exchange, body) -> {
          awaitQuietly(release);
          StubServer.allow(exchange, body);
        });
    List<CompletableFuture<RateLimitResult>> decisions = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      decisions.add(server.decide(CHECK, false).toCompletableFuture());
    }
    await().until(() -> !stub.bodies().isEmpty());
    server.close();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> decisions.stream().allMatch(CompletableFuture::isDone));
    assertThatThrownBy(() -> decisions.get(999).join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(StoreException.class);
    assertThatThrownBy(this::decide).isInstanceOf(StoreException.class);
    release.countDown();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(each -> each.getName().startsWith("redline-client")));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
