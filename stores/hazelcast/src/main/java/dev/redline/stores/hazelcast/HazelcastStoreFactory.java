package dev.redline.stores.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.StoreFactory;
import dev.redline.core.store.StorageProvider;
import dev.redline.stores.hazelcast.HazelcastSettings.Mode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Creates the store {@code HAZELCAST} from {@code rl.hazelcast.*}. Without members and
 * configuration it uses the {@code HazelcastInstance} of the application, if there is one.
 */
public final class HazelcastStoreFactory implements StoreFactory {
  private static final String CONFIG = "rl.hazelcast.config";
  private static final String NAME = "rl.hazelcast.cluster-name";
  private static final String MEMBERS = "rl.hazelcast.members";

  /** Creates the factory; for {@link java.util.ServiceLoader}. */
  public HazelcastStoreFactory() {}

  @Override
  public String name() {
    return "HAZELCAST";
  }

  @Override
  public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
    HazelcastSettings standard = HazelcastSettings.embedded();
    Mode mode =
        properties
            .property(
                "rl.hazelcast.mode",
                "`EMBEDDED`: this process is a member of the cluster; `CLIENT`: the members need"
                    + " the jar of the store on their class path")
            .choice(Mode.class, Mode.EMBEDDED);
    Optional<Path> config =
        properties
            .property(CONFIG, "a Hazelcast configuration, XML or YAML, instead of the next two")
            .parsed("use a file that exists", HazelcastStoreFactory::file);
    Optional<String> clusterName =
        properties
            .property(NAME, "the name of the cluster")
            .unlessSet("`" + standard.clusterName() + "`")
            .text();
    List<String> members =
        properties
            .property(
                MEMBERS,
                "addresses of members, `host` or `host:port`. A member binds the first one that is"
                    + " an address of this machine with a free port; without addresses it forms a"
                    + " cluster alone")
            .words();
    Duration timeout =
        properties
            .property(
                "rl.hazelcast.timeout", "how long a decision may take, from when it is asked for")
            .duration(standard.timeout());
    if (config.isPresent() && (clusterName.isPresent() || !members.isEmpty())) {
      properties.problem(
          clusterName.isPresent() ? NAME : MEMBERS,
          clusterName.orElseGet(() -> String.join(",", members)),
          "write it into the file of " + CONFIG + ", or do without the file");
      return context -> start(standard);
    }
    for (String member : members) {
      if (!HazelcastSettings.isAddress(member)) {
        properties.problem(MEMBERS, member, "use host or host:port");
        return context -> start(standard);
      }
    }
    return context -> {
      Optional<HazelcastInstance> own = context.find(HazelcastInstance.class);
      if (own.isPresent() && config.isEmpty() && members.isEmpty()) {
        return HazelcastStore.start(own.get(), timeout);
      }
      if (mode == Mode.CLIENT && config.isEmpty() && members.isEmpty()) {
        throw new IllegalArgumentException(
            MEMBERS + " is missing: rl.hazelcast.mode=CLIENT needs the addresses of members");
      }
      return start(
          new HazelcastSettings(
              mode, config, clusterName.orElse(standard.clusterName()), members, timeout));
    };
  }

  private static StorageProvider start(HazelcastSettings settings) {
    try {
      return HazelcastStore.start(settings);
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static Path file(String text) {
    Path path = Path.of(text);
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException("no such file");
    }
    return path;
  }
}
