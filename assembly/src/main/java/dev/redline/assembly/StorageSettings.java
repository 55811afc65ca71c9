package dev.redline.assembly;

import dev.redline.core.spi.PluginFactory.Creator;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.StoreFactory;
import dev.redline.core.store.StorageProvider;
import java.util.List;

/**
 * Where bucket state is kept.
 *
 * @param type the name of the kind of store
 * @param maxKeys how many keys a store in this process holds
 * @param creator creates the store
 */
public record StorageSettings(String type, long maxKeys, Creator<StorageProvider> creator) {
  static final String TYPE = "rl.storage.type";
  static final String DEFAULT = "LOCAL";

  static StorageSettings read(PropertyReader from, List<StoreFactory> factories, HostProfile host) {
    String written =
        from.property(
                TYPE,
                "or `CAFFEINE`, `REDIS`, [`HAZELCAST`](hazelcast.md), [`JDBC`](jdbc.md), or the name of"
                    + " a [plugin](plugins.md); each is a module")
            .unlessSet("`LOCAL`")
            .text()
            .orElse(DEFAULT);
    long maxKeys =
        from.property("rl.storage.max-keys", "how many keys a store in memory holds")
            .number(1_000_000, 1, 1_000_000_000);
    StorageSettings chosen = null;
    for (StoreFactory factory : factories) {
      boolean isChosen =
          !host.ownStore() && Plugins.fold(factory.name()).equals(Plugins.fold(written));
      Creator<StorageProvider> creator = Plugins.read(factory, from, isChosen);
      if (isChosen) {
        chosen = new StorageSettings(factory.name(), maxKeys, creator);
      }
    }
    if (chosen == null && !host.ownStore()) {
      List<String> names = factories.stream().map(StoreFactory::name).toList();
      from.problem(TYPE, written, Plugins.allowed(Plugins.storeArtifact(written), names));
    }
    return chosen != null
        ? chosen
        : new StorageSettings(
            written,
            maxKeys,
            context -> {
              throw new IllegalStateException("there is no store " + written);
            });
  }
}
