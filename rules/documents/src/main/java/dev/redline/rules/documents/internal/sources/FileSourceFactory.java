package dev.redline.rules.documents.internal.sources;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.rules.documents.files.FileConfigProvider;
import java.nio.file.Path;
import java.util.Set;

/** Creates the rule source {@code FILE}: a file or directory. */
public final class FileSourceFactory implements RuleSourceFactory {
  @Override
  public String name() {
    return "FILE";
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
    Path path = RulePath.require(properties, name(), "of its documents", chosen);
    return context -> new FileConfigProvider(path);
  }
}
