package dev.redline.testkit.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** A real Redis Cluster on loopback: masters, and a replica of each if asked for. */
public final class RedisCluster implements AutoCloseable {
  private static final int SLOTS = 16_384;

  private final List<RedisServer> masters;
  private final List<RedisServer> replicas;

  private RedisCluster(List<RedisServer> masters, List<RedisServer> replicas) {
    this.masters = masters;
    this.replicas = replicas;
  }

  /** Starts a cluster of three masters, each with a replica. */
  public static RedisCluster start(RedisBinary binary) {
    return start(binary, 3, true);
  }

  /** Starts a cluster. */
  public static RedisCluster start(RedisBinary binary, int masters, boolean replicated) {
    List<RedisServer> all = new ArrayList<>();
    try {
      int count = replicated ? masters * 2 : masters;
      for (int i = 0; i < count; i++) {
        all.add(
            RedisServer.start(
                binary,
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                "5000",
                "--cluster-replica-validity-factor",
                "0",
                "--cluster-config-file",
                "nodes.conf"));
      }
      RedisCluster cluster =
          new RedisCluster(
              List.copyOf(all.subList(0, masters)), List.copyOf(all.subList(masters, count)));
      cluster.form();
      return cluster;
    } catch (RuntimeException e) {
      all.forEach(RedisServer::close);
      throw e;
    }
  }

  private void form() {
    int share = SLOTS / masters.size();
    for (int m = 0; m < masters.size(); m++) {
      int from = m * share;
      int to = m == masters.size() - 1 ? SLOTS : from + share;
      List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      IntStream.range(from, to).forEach(slot -> command.add(Integer.toString(slot)));
      masters.get(m).command(command.toArray(new String[0]));
      masters.get(m).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(m + 1));
    }
    String first = Integer.toString(masters.get(0).port());
    for (RedisServer server : servers().subList(1, servers().size())) {
      server.command("CLUSTER", "MEET", "127.0.0.1", first);
    }
    await("gossip", () -> servers().stream().allMatch(this::knowsAll));
    for (int r = 0; r < replicas.size(); r++) {
      String master = String.valueOf(masters.get(r).command("CLUSTER", "MYID"));
      replicas.get(r).command("CLUSTER", "REPLICATE", master);
    }
    await("cluster state", () -> servers().stream().allMatch(RedisCluster::isOk));
    await(
        "replication",
        () -> replicas.stream().allMatch(r -> info(r, "replication", "master_link_status:up")));
  }

  private boolean knowsAll(RedisServer server) {
    return info(server, "CLUSTER", "cluster_known_nodes:" + servers().size());
  }

  private static boolean isOk(RedisServer server) {
    return info(server, "CLUSTER", "cluster_state:ok");
  }

  private static boolean info(RedisServer server, String section, String expected) {
    Object text =
        section.equals("CLUSTER")
            ? server.command("CLUSTER", "INFO")
            : server.command("INFO", section);
    return String.valueOf(text).contains(expected);
  }

  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("no " + what + " within 30 s");
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** Returns the URI of the first master. */
  public String uri() {
    return masters.get(0).uri();
  }

  /** Returns the servers that began as masters. */
  public List<RedisServer> masters() {
    return masters;
  }

  /** Returns the servers that began as replicas, each of the master at the same place. */
  public List<RedisServer> replicas() {
    return replicas;
  }

  /** Returns all servers. */
  public List<RedisServer> servers() {
    List<RedisServer> all = new ArrayList<>(masters);
    all.addAll(replicas);
    return all;
  }

  @Override
  public void close() {
    servers().forEach(RedisServer::close);
  }
}
