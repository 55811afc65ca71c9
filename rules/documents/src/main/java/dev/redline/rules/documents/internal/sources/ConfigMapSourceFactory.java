package dev.redline.rules.documents.internal.sources;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.rules.documents.files.FileConfigProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Creates the rule source {@code CONFIG_MAP}: a Kubernetes ConfigMap, mounted as a volume. */
public final class ConfigMapSourceFactory implements RuleSourceFactory {
  @Override
  public String name() {
    return "CONFIG_MAP";
  }

  @Override
  public boolean deployed() {
    return true;
  }

  @Override
  public Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.WATCH, ReloadStrategy.POLLING);
  }

  @Override
  public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
    Path path = RulePath.require(properties, name(), "it is mounted at", chosen);
    boolean watch =
        properties
            .property(
                "rl.k8s.watch-enabled",
                "false: a mounted ConfigMap is read at the start and never again")
            .bool(true);
    return context -> {
      FileConfigProvider files = new FileConfigProvider(path);
      return watch ? files : new LoadedOnce(files);
    };
  }

  /** A source that is not watched and not loaded again. */
  private record LoadedOnce(ConfigProvider source) implements ConfigProvider {
    @Override
    public String name() {
      return source.name();
    }

    @Override
    public Optional<Snapshot> load() throws IOException {
      return source.load();
    }

    @Override
    public boolean canChange() {
      return false;
    }

    @Override
    public void close() {
      source.close();
    }
  }
}
