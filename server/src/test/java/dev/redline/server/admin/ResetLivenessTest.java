package dev.redline.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.server.TestServer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every request is answered while buckets are reset under load, and afterwards. {@code
 * -Dredline.stress.seconds=60} makes it longer, and demands each answer within a second.
 */
@Tag("stress")
class ResetLivenessTest {
  private static final Integer GIVEN_SECONDS = Integer.getInteger("redline.stress.seconds");
  private static final long SECONDS = GIVEN_SECONDS == null ? 8 : GIVEN_SECONDS;
  private static final Duration LIMIT = Duration.ofSeconds(GIVEN_SECONDS == null ? 10 : 1);

  private static final int INSERTING = 4;
  private static final int RESETTING = 2;
  private static final List<String> RESETS =
      List.of(
          "{\"ruleId\":\"per-user\"}",
          "{\"ruleSetId\":\"orders\"}",
          "{\"ruleId\":\"per-user\",\"identity\":\"0-1\"}");

  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong slowest = new AtomicLong();

  private interface Client {
    void ask(long i);
  }

  private void answered(TestServer server, HttpRequest.Builder request) {
    long start = System.nanoTime();
    HttpResponse<String> response;
    try {
      response = server.send(request.timeout(LIMIT));
    } catch (IllegalStateException e) {
      if (e.getCause() instanceof HttpTimeoutException) {
        throw e;
      }
      // The server closed an idle connection just when the client used it again.
      response = server.send(request);
    }
    slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
    answers.incrementAndGet();
    assertThat(response.statusCode()).as(response.body()).isIn(200, 429);
  }

  private void insert(TestServer server, String user) {
    answered(
        server,
        HttpRequest.newBuilder(server.uri("/v1/check"))
            .header("Content-Type", "application/json")
            .POST(
                BodyPublishers.ofString(
                    "{\"ruleId\":\"per-user\",\"identity\":\"" + user + "\"}")));
  }

  private void reset(TestServer server, long i) {
    answered(
        server,
        AdminClient.editor(server)
            .request("buckets/reset")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(RESETS.get((int) (i % RESETS.size())))));
  }

  @Test
  void answersEveryRequestDuringAndAfterResets() throws Exception {
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.storage.max-keys", "10000");
    try (TestServer server = TestServer.start(AdminClient.RULES, properties)) {
      List<Client> clients = new ArrayList<>();
      for (int c = 0; c < INSERTING; c++) {
        int client = c;
        clients.add(i -> insert(server, client + "-" + i));
      }
      for (int c = 0; c < RESETTING; c++) {
        clients.add(i -> reset(server, i));
      }
      warmUp(server);
      run(clients);

      for (int i = 0; i < 200; i++) {
        insert(server, "0-" + i);
        insert(server, "after-" + i);
      }
      System.out.printf(
          "%,d answers in %d s, the slowest in %,d ms%n",
          answers.get(), SECONDS, TimeUnit.NANOSECONDS.toMillis(slowest.get()));
    }
  }

  /** The first requests wait for classes to be loaded. */
  private void warmUp(TestServer server) {
    for (int i = 0; i < 20; i++) {
      AdminClient.editor(server).post("buckets/reset", RESETS.get(i % RESETS.size()));
      server.post("/v1/check", "{\"ruleId\":\"per-user\",\"identity\":\"warm-up\"}");
    }
  }

  private static void run(List<Client> clients) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(clients.size());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    try {
      List<Future<?>> work = new ArrayList<>();
      for (Client client : clients) {
        work.add(
            threads.submit(
                () -> {
                  for (long i = 0; System.nanoTime() < end; i++) {
                    client.ask(i);
                  }
                }));
      }
      for (Future<?> each : work) {
        each.get(SECONDS + 60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
