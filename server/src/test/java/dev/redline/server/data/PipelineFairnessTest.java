package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.server.RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that are full of pipelined requests, beside a caller with one request. */
@Timeout(60)
class PipelineFairnessTest {
  private static final int PIPELINED = 400;
  private static final int LOOPS = Runtime.getRuntime().availableProcessors();

  /** How many of the pipelined requests each event loop has decided. */
  private final Map<Thread, Integer> decided = new ConcurrentHashMap<>();

  private final CountDownLatch allSent = new CountDownLatch(1);
  private final ConcurrentLinkedQueue<Integer> decidedBefore = new ConcurrentLinkedQueue<>();
  private DataPlane dataPlane;

  private String keyOfPipelined(RequestContext request) {
    decided.merge(Thread.currentThread(), 1, Integer::sum);
    try {
      assertThat(allSent.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "key";
  }

  private String keyOfSingle(RequestContext request) {
    decidedBefore.add(decided.getOrDefault(Thread.currentThread(), 0));
    return "key";
  }

  @BeforeEach
  void start() throws Exception {
    RateLimitBand band = RateLimitBand.of(1_000_000, 1, Duration.ofMinutes(1));
    RateLimitRule pipelined =
        RateLimitRule.builder()
            .id("pipelined")
            .path("/pipelined")
            .keyResolver(this::keyOfPipelined)
            .addBand(band)
            .build();
    RateLimitRule single =
        RateLimitRule.builder()
            .id("single")
            .path("/single")
            .keyResolver(this::keyOfSingle)
            .addBand(band)
            .build();
    dataPlane =
        new TestDataPlane()
            .start(
                RateLimitEngine.builder(new LocalStore())
                    .book(RuleBook.of(pipelined, single))
                    .build());
  }

  @AfterEach
  void stop() {
    allSent.countDown();
    dataPlane.stop();
  }

  private static String check(String path) {
    return check(path, "");
  }

  private static String check(String path, String padding) {
    String body = "{" + padding + "\"request\":{\"path\":\"" + path + "\"}}";
    return "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5_000, 60_000, 100_000})
  void decidesFewPipelinedRequestsBeforeThatOfAnotherConnection(int bytesOfFirstBody)
      throws Exception {
    String first = check("/free", " ".repeat(bytesOfFirstBody));
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 2 * LOOPS; i++) {
        RawClient client = new RawClient(dataPlane.port());
        clients.add(client);
        client.send(check("/single"));
        assertThat(client.response().status()).isEqualTo(200);
      }
      decidedBefore.clear();
      // Connections are given to the event loops in turn, so that each has one of both kinds.
      for (RawClient client : clients.subList(0, LOOPS)) {
        client.send(first + check("/pipelined").repeat(PIPELINED));
      }
      await().until(() -> decided.size() == LOOPS);
      for (RawClient client : clients.subList(LOOPS, 2 * LOOPS)) {
        client.send(check("/single"));
      }
      allSent.countDown();

      for (RawClient client : clients.subList(LOOPS, 2 * LOOPS)) {
        assertThat(client.response().status()).isEqualTo(200);
      }
      assertThat(decidedBefore).hasSize(LOOPS).allMatch(count -> count < PIPELINED / 4);
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
  }
}
