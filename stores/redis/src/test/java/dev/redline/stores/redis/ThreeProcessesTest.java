package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three processes, one key, one limit.
 *
 * <p>The clocks of the processes do not matter: no client time is sent to Redis or compared with
 * Redis's time. The store only measures elapsed time, for deadlines and the deny cache. {@link
 * #sendsNoClientTimeToRedis} proves that on the wire, without setting clocks.
 */
@Tag("stress")
class ThreeProcessesTest {
  private static final int REQUESTS = 1_000;
  private static final int PROCESSES = 3;

  private static Process start(String uri, int requests) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ContendingProcess.class.getName(),
            uri,
            "three",
            Integer.toString(requests))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static int passing(String uri) throws Exception {
    List<Process> processes = new ArrayList<>();
    try {
      List<BufferedReader> outputs = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        int requests = REQUESTS / PROCESSES + (i < REQUESTS % PROCESSES ? 1 : 0);
        Process process = start(uri, requests);
        processes.add(process);
        outputs.add(
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
      }
      for (BufferedReader output : outputs) {
        assertThat(output.readLine()).isEqualTo("ready");
      }
      for (Process process : processes) {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
      }
      int passed = 0;
      int decided = 0;
      for (BufferedReader output : outputs) {
        String line = output.readLine();
        System.out.println("figure: allowed, denied, failed " + line);
        int[] counts = Stream.of(line.split(" ", -1)).mapToInt(Integer::parseInt).toArray();
        passed += counts[0];
        decided += counts[0] + counts[1] + counts[2];
      }
      assertThat(decided).isEqualTo(REQUESTS);
      for (Process process : processes) {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
      return passed;
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  @Test
  void allowsExactlyCapacityOnOneServer() throws Exception {
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      assertThat(passing(redis.uri())).isEqualTo(100);
    }
  }

  @Test
  void allowsExactlyCapacityOnCluster() throws Exception {
    try (RedisCluster redis = RedisCluster.start(RedisBinary.any(), 3, false)) {
      assertThat(passing(redis.uri())).isEqualTo(100);
    }
  }

  /** Equal acquisitions at different times send equal bytes. */
  @Test
  void sendsNoClientTimeToRedis() {
    try (RedisServer redis = RedisServer.start(RedisBinary.any());
        Nodes nodes = new Nodes(redis.uri())) {
      StorageProvider node = nodes.add();
      redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
      Nodes.take(node, ContendingProcess.KEY, 1);
      long begin = System.nanoTime();
      await().until(() -> System.nanoTime() - begin > 1_500_000_000L);
      Nodes.take(node, ContendingProcess.KEY, 1);
      List<Object> calls = new ArrayList<>();
      for (Object entry : (List<?>) redis.command("SLOWLOG", "GET", "128")) {
        List<?> words = (List<?>) ((List<?>) entry).get(3);
        if (words.get(0).equals("EVALSHA")) {
          calls.add(words);
        }
      }
      assertThat(calls).hasSize(2);
      assertThat(calls.get(0)).isEqualTo(calls.get(1));
    }
  }
}
