package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.testkit.AllowedReplay;
import dev.redline.testkit.AllowedReplay.Allowed;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes with leases, one key, more demand than the limit. Everything that they allowed is
 * replayed at its own time through one exact bucket.
 */
@Tag("stress")
class LeasingProcessesTest {
  /** Longer on a quiet machine: {@code -Dredline.lease.seconds=60}. */
  private static final int SECONDS = Integer.getInteger("redline.lease.seconds", 4);

  /** On a busy machine the processes do not demand as much as the limit permits. */
  private static final double LEAST_PART = SECONDS >= 60 ? 0.98 : 0.7;

  private static final int DEMAND = 1_000;
  private static final RateLimitBand BAND = LeasingProcess.band(SECONDS);
  private static final int SECONDS_BETWEEN_KILLS = 5;

  /** What a node can hold at most, and what is lost with it when it is killed. */
  private static final double MOST_LOST = BAND.capacity() / 16.0;

  @TempDir Path folder;

  private final List<Process> processes = new ArrayList<>();
  private final List<BufferedReader> outputs = new ArrayList<>();
  private final List<Path> logs = new ArrayList<>();
  private final String prefix = "t" + UUID.randomUUID().toString().substring(0, 8);

  private Process start(String uri) throws IOException {
    Path log = folder.resolve("log-" + logs.size());
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                LeasingProcess.class.getName(),
                uri,
                prefix,
                log.toString(),
                Integer.toString(SECONDS),
                Integer.toString(DEMAND))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    logs.add(log);
    processes.add(process);
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    outputs.add(output);
    assertThat(output.readLine()).isEqualTo("ready");
    return process;
  }

  private static void go(Process process) throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  private void await(Process process) throws Exception {
    assertThat(process.waitFor(SECONDS + 60, TimeUnit.SECONDS)).isTrue();
    String line = outputs.get(processes.indexOf(process)).readLine();
    System.out.println("figure: tokens leased and spent " + line);
  }

  /**
   * Replays what was allowed, and checks that it is most of what the limits permit in that time,
   * but for what is lost with processes that were killed.
   */
  private void checkAllowed(int kills) throws IOException {
    List<Allowed> all = new ArrayList<>();
    long denied = 0;
    for (Path log : logs) {
      LongBuffer entries = LeasingProcess.map(log);
      for (int i = 1; i <= entries.get(0); i++) {
        all.add(new Allowed(entries.get(i), 1));
      }
      denied += entries.get(LeasingProcess.ENTRIES + 1);
    }
    assertThat(denied).as("denials").isPositive();
    long allowed = new AllowedReplay(List.of(BAND)).check(all);
    long first = all.stream().mapToLong(Allowed::micros).min().orElseThrow();
    long last = all.stream().mapToLong(Allowed::micros).max().orElseThrow();
    double permitted = BAND.capacity() + BAND.refillTokens() * ((last - first) / 1e6);
    System.out.printf("figure: allowed %d of %.0f%n", allowed, permitted);
    assertThat((double) allowed).isGreaterThan(LEAST_PART * permitted - kills * MOST_LOST);
  }

  private void stop() {
    processes.forEach(Process::destroyForcibly);
  }

  private void check(String uri) throws Exception {
    try {
      for (int i = 0; i < 3; i++) {
        start(uri);
      }
      for (Process process : processes) {
        go(process);
      }
      for (Process process : processes) {
        await(process);
      }
      checkAllowed(0);
    } finally {
      stop();
    }
  }

  @Test
  @Timeout(300)
  void allowWhatTheLimitPermitsOnOneServer() throws Exception {
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      check(redis.uri());
    }
  }

  @Test
  @Timeout(300)
  void allowWhatTheLimitPermitsOnCluster() throws Exception {
    try (RedisCluster redis = RedisCluster.start(RedisBinary.any(), 3, false)) {
      check(redis.uri());
    }
  }

  @Test
  @Timeout(300)
  void allowNoMoreWhenOneIsKilledAndOneIsStopped() throws Exception {
    int kills = Math.max(1, SECONDS / SECONDS_BETWEEN_KILLS - 1);
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      Process running = start(redis.uri());
      Process stopped = start(redis.uri());
      Process last = start(redis.uri());
      // Starting one can take longer than the others run.
      Process next = start(redis.uri());
      for (Process process : List.of(running, stopped, last)) {
        go(process);
      }
      for (int kill = 0; kill < kills; kill++) {
        long begin = System.nanoTime();
        for (int i = 0; i < 3; i++) {
          TimeUnit.MILLISECONDS.sleep(300);
          signal(stopped, "STOP");
          TimeUnit.MILLISECONDS.sleep(300);
          signal(stopped, "CONT");
        }
        Process successor = next;
        if (kill < kills - 1) {
          next = start(redis.uri());
          Duration past = Duration.ofNanos(System.nanoTime() - begin);
          TimeUnit.MILLISECONDS.sleep(
              Duration.ofSeconds(SECONDS_BETWEEN_KILLS).minus(past).toMillis());
        }
        running.destroyForcibly();
        go(successor);
        running = successor;
      }
      await(stopped);
      await(last);
      await(running);
      checkAllowed(kills);
    } finally {
      stop();
    }
  }

  private static void signal(Process process, String name) throws Exception {
    int exit =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    assertThat(exit).isZero();
  }
}
