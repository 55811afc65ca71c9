package dev.redline.bench.stores;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SerializationConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import dev.redline.bench.ChildJvm;
import dev.redline.bench.stores.CallerLoad.Bar;
import dev.redline.bench.stores.CallerLoad.LoadCell;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.hazelcast.HazelcastStore;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.grid.hazelcast.Bucket4jHazelcast;
import io.github.bucket4j.grid.hazelcast.HazelcastProxyManager;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures decisions on Hazelcast: in a member, and in a client of a member in another process. The
 * floor is an entry processor that does nothing.
 */
public final class HazelcastBench {
  /** The hidden command that starts the member which the clients use. */
  public static final String MEMBER_COMMAND = "hazelcast-member";

  private static final int KEYS = 10_000;
  private static final long CAPACITY = 1_000_000_000_000L;
  private static final int BUCKET4J_TYPES = 10_000;
  private static final List<LoadCell> CELLS =
      List.of(
          new LoadCell("10k keys, 16 callers", 16, KEYS),
          new LoadCell("10k keys, one caller", 1, KEYS));
  private static final List<Bar> BARS =
      List.of(new Bar("Redline", "no-op", 0.75), new Bar("Redline", "Bucket4j", 1.0));

  private HazelcastBench() {}

  /** Runs the benchmark. */
  public static void run(List<String> arguments, PrintStream out, PrintStream err)
      throws Exception {
    CallerLoad load = CallerLoad.parse("hazelcast", arguments);
    out.printf(
        "%nHazelcast, OpenJDK %s, %d processors; medians of %d round(s) of %d ms%n%n",
        System.getProperty("java.version"),
        Runtime.getRuntime().availableProcessors(),
        load.rounds(),
        load.measure().toMillis());
    int missed = 0;
    int port = freePort();
    out.println("Embedded: one member");
    HazelcastInstance member = Hazelcast.newHazelcastInstance(memberConfig(port));
    try {
      missed += measure(member, load, out, err);
    } finally {
      member.shutdown();
    }
    out.println();
    out.println("Client: of one member in another process");
    Process process =
        new ProcessBuilder(
                ChildJvm.command(
                    List.of("-Xmx512m"), List.of(MEMBER_COMMAND, Integer.toString(freePort()))))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = output.readLine();
      if (line == null) {
        throw new IllegalStateException("the member did not start");
      }
      HazelcastInstance client = HazelcastClient.newHazelcastClient(clientConfig(line));
      try {
        missed += measure(client, load, out, err);
      } finally {
        client.shutdown();
      }
    } finally {
      process.destroyForcibly();
    }
    out.println(missed == 0 ? "Every cell meets its bars." : missed + " cell(s) miss a bar.");
    out.println("Bars: at least 0.75 × the no-op, and 1 × Bucket4j.");
  }

  /** Runs a member until the process is killed. */
  public static void runMember(List<String> arguments, PrintStream out) throws IOException {
    int port = Integer.parseInt(arguments.get(0));
    Hazelcast.newHazelcastInstance(memberConfig(port));
    out.println("127.0.0.1:" + port);
    out.flush();
    while (System.in.read() >= 0) {
      // until the benchmark ends
    }
    System.exit(0);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Config memberConfig(int port) {
    Config config = new Config().setClusterName("bench");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    quickSerializers(config.getSerializationConfig());
    // As the store configures its own members; the others may have it, too.
    for (String map : List.of("redline-buckets-1", "floor", "bucket4j")) {
      config.addMapConfig(
          new MapConfig(map).setInMemoryFormat(InMemoryFormat.OBJECT).setStatisticsEnabled(false));
    }
    return config;
  }

  private static ClientConfig clientConfig(String address) {
    ClientConfig config = new ClientConfig().setClusterName("bench");
    config.setProperty("hazelcast.logging.type", "none");
    config.getNetworkConfig().addAddress(address);
    quickSerializers(config.getSerializationConfig());
    return config;
  }

  /** Lets Bucket4j serialize in its own format instead of Java's. */
  private static void quickSerializers(SerializationConfig config) {
    HazelcastProxyManager.addCustomSerializers(config, BUCKET4J_TYPES);
  }

  private static int measure(
      HazelcastInstance instance, CallerLoad load, PrintStream out, PrintStream err)
      throws InterruptedException {
    try (HazelcastStore store = HazelcastStore.start(instance, Duration.ofSeconds(5))) {
      return load.run(
          CELLS, List.of(noOp(instance), redline(store), bucket4j(instance)), BARS, out, err);
    }
  }

  private static StoreContender noOp(HazelcastInstance instance) {
    IMap<String, byte[]> map = instance.getMap("floor");
    String[] names = names();
    return new StoreContender(
        "no-op",
        i -> {
          map.executeOnKey(names[i], new NoOpProcessor());
          return true;
        });
  }

  private static StoreContender redline(HazelcastStore store) {
    BucketLimits limits =
        new BucketLimits(
            OwnerKind.RULE,
            "bench",
            List.of(RateLimitBand.of(CAPACITY, CAPACITY, Duration.ofDays(1))));
    Acquisition[] acquisitions = new Acquisition[KEYS];
    String[] names = names();
    for (int i = 0; i < KEYS; i++) {
      acquisitions[i] = Acquisition.of(new RateLimitKey(limits, names[i]), 1);
    }
    return new StoreContender("Redline", i -> store.acquireAndWait(acquisitions[i]).allowed());
  }

  private static StoreContender bucket4j(HazelcastInstance instance) {
    HazelcastProxyManager<String> manager =
        Bucket4jHazelcast.entryProcessorBasedBuilder(instance.<String, byte[]>getMap("bucket4j"))
            .build();
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(limit -> limit.capacity(CAPACITY).refillGreedy(CAPACITY, Duration.ofDays(1)))
            .build();
    BucketProxy[] buckets = new BucketProxy[KEYS];
    String[] names = names();
    for (int i = 0; i < KEYS; i++) {
      buckets[i] = manager.builder().build(names[i], () -> configuration);
    }
    return new StoreContender("Bucket4j", i -> buckets[i].tryConsume(1));
  }

  private static String[] names() {
    String[] names = new String[KEYS];
    for (int i = 0; i < KEYS; i++) {
      names[i] = "caller-" + i;
    }
    return names;
  }

  /** The floor: a call of the owner of an entry, and nothing else. */
  static final class NoOpProcessor
      implements EntryProcessor<String, byte[], long[]>, DataSerializable {
    private static final long serialVersionUID = 1L;

    /** For Hazelcast, too. */
    NoOpProcessor() {}

    @Override
    public long @Nullable [] process(Map.Entry<String, byte[]> entry) {
      return null;
    }

    @Override
    public @Nullable EntryProcessor<String, byte[], long[]> getBackupProcessor() {
      return null;
    }

    @Override
    public void writeData(ObjectDataOutput out) {}

    @Override
    public void readData(ObjectDataInput in) {}
  }
}
