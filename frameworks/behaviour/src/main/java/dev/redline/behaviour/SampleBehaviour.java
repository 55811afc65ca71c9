package dev.redline.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What each endpoint of a sample application does. */
public abstract class SampleBehaviour extends FilterBehaviour {
  private final String user = UUID.randomUUID().toString();

  @Test
  void annotationCountsEachUserAlone() {
    LoopbackClient client = client();
    for (int i = 4; i >= 0; i--) {
      assertAllowed(client.get("/work?user=" + user), 5, i);
    }
    assertDenied(client.get("/work?user=" + user), 5, "\"ruleId\":");
    assertAllowed(client.get("/work?user=other-" + user), 5, 4);
  }

  @Test
  void asynchronousMethodHasItsOwnBucket() {
    LoopbackClient client = client();
    client.get("/work?user=" + user);
    for (int i = 4; i >= 0; i--) {
      assertAllowed(client.get("/async?user=" + user), 5, i);
    }
    assertDenied(client.get("/async?user=" + user), 5, "\"ruleId\":");
  }

  @Test
  void waitingEndsWithSuccessBelowTheMaximumAndIsDeniedAtOnceAboveIt() throws Exception {
    LoopbackClient client = client();
    assertThat(client.get("/wait?user=" + user).status()).isEqualTo(200);
    ScheduledExecutorService threads = Executors.newScheduledThreadPool(5);
    try {
      List<Future<Timed>> waiting = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        // Not at once: the third would then wait for 3 s, and a short pause would make it late.
        waiting.add(threads.schedule(() -> timed(client), 300, TimeUnit.MILLISECONDS));
      }
      List<Timed> allowed = new ArrayList<>();
      List<Timed> denied = new ArrayList<>();
      for (Future<Timed> each : waiting) {
        Timed response = each.get();
        (response.response.status() == 200 ? allowed : denied).add(response);
      }

      // One token a second and at most 3 s: three of the five wait, two cannot be in time.
      assertThat(allowed).hasSize(3);
      assertThat(denied).hasSize(2).allMatch(each -> each.response.status() == 429);
      assertThat(denied).allMatch(each -> each.millis < 900);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A response, and how long it took. */
  private record Timed(Response response, long millis) {}

  private Timed timed(LoopbackClient client) {
    long start = System.nanoTime();
    Response response = client.get("/wait?user=" + user);
    return new Timed(response, (System.nanoTime() - start) / 1_000_000);
  }

  @Test
  void fallbackRespondsInPlaceOfADenial() {
    LoopbackClient client = client();
    for (int i = 1; i >= 0; i--) {
      assertAllowed(client.get("/fallback?user=" + user), 2, i);
    }

    Response fallback = client.get("/fallback?user=" + user);

    assertThat(fallback.status()).isEqualTo(200);
    assertThat(fallback.body()).isEqualTo("try later");
    assertThat(fallback.headers()).doesNotContainKeys("Retry-After", "X-RateLimit-Retry-After");
  }

  @Test
  void exceptionOfTheMethodReachesTheClientAndCostsOneToken() {
    LoopbackClient client = client();

    Response first = client.get("/boom");
    Response second = client.get("/boom");

    assertThat(first.status()).isEqualTo(500);
    assertThat(first.body()).contains("boom");
    assertNumbers(first, 10, 9);
    assertNumbers(second, 10, 8);
  }
}
