package dev.redline.stores.hazelcast;

import static org.awaitility.Awaitility.await;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.internal.StoreLoad;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** The members of a cluster that belongs to one test, in this process and in others. */
final class Clusters implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  /**
   * Systems take the ports of outgoing connections from above. A member that looks for another one
   * at such a port may connect to itself, and so take the port away.
   */
  private static final int FIRST_EPHEMERAL_PORT = 32_768;

  private static final int FIRST_PORT = 16_384;

  private final String name = "test-" + UUID.randomUUID();
  private final List<HazelcastStore> stores = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();
  private final String[] members;

  /** Finds ports for a number of members. */
  Clusters(int size) {
    members =
        ThreadLocalRandom.current()
            .ints(FIRST_PORT, FIRST_EPHEMERAL_PORT)
            .distinct()
            .filter(Clusters::isFree)
            .limit(size)
            .mapToObj(port -> "127.0.0.1:" + port)
            .toArray(String[]::new);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  String name() {
    return name;
  }

  String[] members() {
    return members;
  }

  HazelcastSettings embedded() {
    return HazelcastSettings.embedded(members).withClusterName(name).withTimeout(TIMEOUT);
  }

  HazelcastSettings client() {
    return HazelcastSettings.client(members).withClusterName(name).withTimeout(TIMEOUT);
  }

  /** Starts a store, which is closed with the cluster. */
  HazelcastStore start(HazelcastSettings settings) {
    HazelcastStore store = HazelcastStore.start(settings);
    stores.add(store);
    if (!store.awaitReady(Duration.ofSeconds(60))) {
      throw new AssertionError("the store is not ready: " + store.health());
    }
    return store;
  }

  /** Returns the members of this process. */
  List<HazelcastInstance> instances() {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(instance -> instance.getConfig().getClusterName().equals(name))
        .toList();
  }

  /**
   * Waits until the members of this process have moved and backed up all partitions. Until then a
   * backup may get lost, so that its acquisition fails with unknown outcome.
   */
  void awaitSafe() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                instances().stream()
                    .allMatch(
                        instance ->
                            size(instance) == members.length
                                && instance.getPartitionService().isClusterSafe()));
  }

  /** Starts a member in a process of its own; returns when it has joined. */
  Process startProcess(String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx256m"));
    command.addAll(List.of(options));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), MemberProcess.class.getName(), name));
    command.addAll(List.of(members));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      processes.add(process);
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = output.readLine();
      while (line != null && !line.equals("ready")) {
        line = output.readLine();
      }
      if (line == null) {
        throw new AssertionError("the member did not start");
      }
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RateLimitKey key(String rule, long capacity, String identity) {
    return new RateLimitKey(
        StoreLoad.rule(rule, RateLimitBand.of(capacity, 1, Duration.ofHours(1))), identity);
  }

  static boolean take(StorageProvider store, RateLimitKey key) {
    return store.acquireAndWait(Acquisition.of(key, 1)).allowed();
  }

  static int drain(StorageProvider store, RateLimitKey key) {
    int taken = 0;
    while (take(store, key)) {
      taken++;
    }
    return taken;
  }

  static int size(HazelcastInstance instance) {
    return instance.getCluster().getMembers().size();
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
    stores.forEach(HazelcastStore::close);
  }
}
