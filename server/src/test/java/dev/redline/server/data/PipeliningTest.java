package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.server.RawClient;
import dev.redline.server.RawClient.Response;
import dev.redline.server.data.connection.ConnectionLimits;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HTTP/1.1 connections with several requests on their way, on a store that takes its time. */
@Timeout(60)
class PipeliningTest {
  private final DelayedStore store = new DelayedStore(new LocalStore());
  private DataPlane dataPlane;
  private int port;

  @BeforeEach
  void start() throws Exception {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("r")
            .path("/limited")
            .addBand(RateLimitBand.of(1_000_000, 1, Duration.ofMinutes(1)))
            .build();
    RateLimitEngine engine =
        RateLimitEngine.builder(store).fallback(new LocalStore()).book(RuleBook.of(rule)).build();
    dataPlane =
        new TestDataPlane()
            .drainTimeout(Duration.ofSeconds(20))
            .connections(
                new ConnectionLimits(
                    1000, Duration.ofSeconds(10), Duration.ofSeconds(90), Duration.ofSeconds(10)))
            .start(engine);
    port = dataPlane.port();
  }

  @AfterEach
  void stop() {
    dataPlane.stop();
    store.close();
  }

  private static String check(int cost) {
    String body = "{\"request\":{\"path\":\"/limited\"},\"cost\":" + cost + "}";
    return "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private boolean nothingListens() {
    try (Socket socket = new Socket("localhost", port)) {
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (java.io.IOException e) {
      return false;
    }
  }

  private static boolean closes(Response response) {
    return response.head().toLowerCase(java.util.Locale.ROOT).contains("\r\nconnection: close");
  }

  /** Returns the remaining tokens that a response tells: they show the order of decisions. */
  private static long remaining(Response response) {
    return Long.parseLong(response.body().replaceAll(".*\"remaining\":(\\d+).*", "$1"));
  }

  @Test
  void answersInOrderWhileDecisionsTakeTime() throws Exception {
    store.delay(Duration.ofMillis(2));
    try (RawClient client = new RawClient(port)) {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 200; i++) {
        requests.append(i % 10 == 9 ? "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n" : check(1));
      }
      client.send(requests.toString());
      long before = 1_000_001;
      for (int i = 0; i < 200; i++) {
        Response response = client.response();
        if (i % 10 == 9) {
          assertThat(response.status()).isEqualTo(404);
        } else {
          assertThat(response.status()).isEqualTo(200);
          assertThat(remaining(response)).isLessThan(before);
          before = remaining(response);
        }
      }
    }
  }

  @Test
  void decidesNothingAfterResponseThatClosesTheConnection() throws Exception {
    try (RawClient client = new RawClient(port)) {
      // The body is too long to be read, so the request after it cannot be found.
      client.send(
          check(1)
              + "PUT /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n"
              + check(1)
              + check(1));
      assertThat(client.response().status()).isEqualTo(200);
      Response last = client.response();
      assertThat(last.status()).isEqualTo(405);
      assertThat(closes(last)).isTrue();
      assertThat(client.rest()).isEmpty();
    }
    assertThat(store.decisions()).isEqualTo(1);
  }

  @Test
  void keepsConnectionAfterDenialWithSmallBody() throws Exception {
    try (RawClient client = new RawClient(port)) {
      client.send(
          "PUT /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
              + check(1)
              + "PUT /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
      assertThat(client.response().status()).isEqualTo(405);
      assertThat(client.response().status()).isEqualTo(200);
      assertThat(client.response().status()).isEqualTo(405);
      client.send("hello" + check(1));
      assertThat(client.response().status()).isEqualTo(200);
    }
  }

  @Test
  void answersEveryRequestThatArrivedBeforeTheStop() throws Exception {
    store.delay(Duration.ofMillis(20));
    int many = 40;
    try (RawClient client = new RawClient(port)) {
      client.send(check(1).repeat(many));
      await().until(() -> store.decisions() > 0);
      CompletableFuture<Void> stopping = CompletableFuture.runAsync(dataPlane::stop);
      for (int i = 0; i < many; i++) {
        Response response = client.response();
        assertThat(response).as("response %s", i).isNotNull();
        assertThat(response.status()).isEqualTo(200);
        assertThat(closes(response)).as("response %s closes", i).isEqualTo(i == many - 1);
      }
      assertThat(client.rest()).isEmpty();
      stopping.get(10, TimeUnit.SECONDS);
      assertThat(nothingListens()).isTrue();
    }
  }

  @Test
  void losesNoRequestWhenItStopsUnderLoad() throws Exception {
    store.delay(Duration.ofMillis(1));
    AtomicInteger answered = new AtomicInteger();
    AtomicBoolean stopped = new AtomicBoolean();
    List<CompletableFuture<String>> callers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      int pipelined = 1 + i % 4;
      callers.add(
          CompletableFuture.supplyAsync(
              () -> callUntilClosed(pipelined, answered, stopped),
              task -> new Thread(task, "caller").start()));
    }
    await().until(() -> answered.get() > 500);

    stopped.set(true);
    dataPlane.stop();

    assertThat(nothingListens()).isTrue();
    for (CompletableFuture<String> caller : callers) {
      assertThat(caller.get(20, TimeUnit.SECONDS)).isIn("refused", "reset before it was accepted");
    }
    assertThat(answered.get()).isEqualTo(store.decisions());
  }

  /**
   * Sends requests, several at a time, on one connection after the other. Returns "refused" when
   * nothing listens any more, or what was lost: a request without response on a connection that had
   * not been closed by a response. The system may reset a connection that it made just before the
   * port was closed; the server never sees the requests on it.
   */
  private String callUntilClosed(int pipelined, AtomicInteger answered, AtomicBoolean stopped) {
    while (true) {
      boolean used = false;
      try (RawClient client = new RawClient(port)) {
        boolean closed = false;
        while (!closed) {
          client.send(check(1).repeat(pipelined));
          for (int i = 0; i < pipelined && !closed; i++) {
            Response response = client.response();
            if (response == null) {
              return "lost " + (pipelined - i) + " of " + pipelined;
            }
            if (response.status() != 200) {
              return "status " + response.status();
            }
            answered.incrementAndGet();
            used = true;
            closed = closes(response);
            if (closed && i < pipelined - 1) {
              return "closed before the last of " + pipelined;
            }
          }
        }
      } catch (ConnectException e) {
        return stopped.get() ? "refused" : "refused too early";
      } catch (java.io.IOException e) {
        return used || !stopped.get() ? e.toString() : "reset before it was accepted";
      }
    }
  }
}
