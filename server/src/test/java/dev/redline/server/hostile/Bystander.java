package dev.redline.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.server.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A caller who does nothing wrong, and measures how long its checks take. */
final class Bystander implements AutoCloseable {
  private static final int REQUESTS = 300;
  private static final int ROUNDS = 9;
  private static final Duration ALWAYS_GOOD = Duration.ofMillis(20);

  /** How many threads take part in one exchange: each may be woken up late. */
  private static final int THREADS = 3;

  private final RawClient client;
  private final Duration quiet;

  /** Connects, and measures while there is no attack. */
  Bystander(int port) throws IOException {
    client = new RawClient(port);
    measure();
    quiet = measure();
  }

  /** Returns the 99th percentile of one round. */
  private Duration measure() throws IOException {
    String body = "{\"request\":{\"path\":\"/quiet\"}}";
    byte[] request =
        ("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    long[] nanos = new long[REQUESTS];
    for (int i = 0; i < REQUESTS; i++) {
      long start = System.nanoTime();
      client.send(request);
      RawClient.Response response = client.response();
      nanos[i] = System.nanoTime() - start;
      assertThat(response).as("the connection of a quiet caller").isNotNull();
      assertThat(response.status()).isEqualTo(200);
    }
    Arrays.sort(nanos);
    return Duration.ofNanos(nanos[REQUESTS * 99 / 100 - 1]);
  }

  /**
   * Checks that the attack, which goes on meanwhile, does not slow this caller: in most rounds, the
   * 99th percentile is at most twice that without attack, or 20 ms, beyond what the machine adds.
   */
  void assertNotDisturbed() throws IOException {
    Duration bound = quiet.multipliedBy(2);
    if (bound.compareTo(ALWAYS_GOOD) < 0) {
      bound = ALWAYS_GOOD;
    }
    int good = 0;
    List<String> rounds = new ArrayList<>();
    for (int i = 0; i < ROUNDS && good <= ROUNDS / 2; i++) {
      try (LateWakeUps machine = new LateWakeUps()) {
        Duration round = measure();
        Duration added = machine.stop();
        rounds.add(round + " (machine " + added + ")");
        boolean isGood = round.compareTo(bound.plus(added.multipliedBy(THREADS))) <= 0;
        good += isGood ? 1 : 0;
      }
    }
    assertThat(good)
        .as("good rounds under attack, %s without, bound %s: %s", quiet, bound, rounds)
        .isGreaterThan(ROUNDS / 2);
  }

  /** Measures how late a thread wakes up: the delay that a busy machine adds. */
  private static final class LateWakeUps implements AutoCloseable {
    private static final long NAP_NANOS = 1_000_000;

    private final List<Long> nanos = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "late-wake-ups");
    private volatile boolean stopped;

    LateWakeUps() {
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      while (!stopped) {
        long start = System.nanoTime();
        LockSupport.parkNanos(NAP_NANOS);
        nanos.add(Math.max(0, System.nanoTime() - start - NAP_NANOS));
      }
    }

    /** Ends the measurement; returns the 99th percentile. */
    Duration stop() {
      stopped = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
      Collections.sort(nanos);
      return nanos.isEmpty()
          ? Duration.ZERO
          : Duration.ofNanos(nanos.get((nanos.size() * 99 - 1) / 100));
    }

    @Override
    public void close() {
      stopped = true;
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
