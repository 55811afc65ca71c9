package dev.redline.stores.hazelcast;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How to take part in a Hazelcast cluster, and how long an acquisition may take.
 *
 * @param mode whether this process is a member or a client
 * @param config a Hazelcast configuration, XML or YAML; instead of cluster name and members
 * @param clusterName the name of the cluster
 * @param members addresses of members, {@code host} or {@code host:port}. A member binds the first
 *     of them that is an address of this machine with a free port, and joins the others. A member
 *     without any forms a cluster alone, on loopback
 * @param timeout how long an acquisition may take, from when it is submitted
 */
public record HazelcastSettings(
    Mode mode, Optional<Path> config, String clusterName, List<String> members, Duration timeout) {
  /** The name of the cluster unless another one is given. */
  public static final String DEFAULT_CLUSTER_NAME = "redline";

  private static final Pattern ADDRESS = Pattern.compile("[^\\s:/]+(:[0-9]{1,5})?");

  /** Whether a process keeps a part of the buckets. */
  public enum Mode {
    /** The process is a member of the cluster. */
    EMBEDDED,
    /** The process is a client; the members need the jar of this store on their class path. */
    CLIENT
  }

  /**
   * Validates everything.
   *
   * @throws IllegalArgumentException if a value is invalid
   */
  public HazelcastSettings {
    members = List.copyOf(members);
    if (clusterName.isBlank()) {
      throw new IllegalArgumentException("the cluster name must not be empty");
    }
    for (String member : members) {
      if (!isAddress(member)) {
        throw new IllegalArgumentException(
            "a member must be a host or host:port, was '" + member + "'");
      }
    }
    if (config.isPresent() && !(members.isEmpty() && clusterName.equals(DEFAULT_CLUSTER_NAME))) {
      throw new IllegalArgumentException(
          "cluster name and members are part of the Hazelcast configuration " + config.get());
    }
    if (mode == Mode.CLIENT && config.isEmpty() && members.isEmpty()) {
      throw new IllegalArgumentException("a client needs the addresses of members");
    }
    if (timeout.toMillis() < 1) {
      throw new IllegalArgumentException("the time-out must be at least 1ms, was " + timeout);
    }
  }

  static boolean isAddress(String member) {
    return ADDRESS.matcher(member).matches();
  }

  /** Returns the settings of a member of the cluster {@code redline}; time-out 50 ms. */
  public static HazelcastSettings embedded(String... members) {
    return new HazelcastSettings(
        Mode.EMBEDDED,
        Optional.empty(),
        DEFAULT_CLUSTER_NAME,
        List.of(members),
        Duration.ofMillis(50));
  }

  /** Returns the settings of a client of the cluster {@code redline}; time-out 50 ms. */
  public static HazelcastSettings client(String... members) {
    return new HazelcastSettings(
        Mode.CLIENT,
        Optional.empty(),
        DEFAULT_CLUSTER_NAME,
        List.of(members),
        Duration.ofMillis(50));
  }

  /** Returns these settings with another cluster name. */
  public HazelcastSettings withClusterName(String value) {
    return new HazelcastSettings(mode, config, value, members, timeout);
  }

  /** Returns these settings with another time-out for acquisitions. */
  public HazelcastSettings withTimeout(Duration value) {
    return new HazelcastSettings(mode, config, clusterName, members, value);
  }
}
