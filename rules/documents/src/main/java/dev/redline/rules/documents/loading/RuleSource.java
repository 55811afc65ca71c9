package dev.redline.rules.documents.loading;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.Objects;

/**
 * A source of rules and how it is used.
 *
 * @param provider where its documents come from
 * @param reader how they are read: with placeholders or without
 * @param required whether the start fails without a valid document of this source
 * @param live whether it is loaded again after the start
 */
public record RuleSource(
    ConfigProvider provider, RuleDocumentReader reader, boolean required, boolean live) {
  /** Checks that nothing is null. */
  public RuleSource {
    Objects.requireNonNull(provider, "provider");
    Objects.requireNonNull(reader, "reader");
  }

  /** Returns a file, directory or ConfigMap: required, and with placeholders. */
  public static RuleSource ofFiles(ConfigProvider provider) {
    return new RuleSource(
        provider, RuleDocumentReader.withPlaceholders(System::getenv), true, provider.canChange());
  }

  /** Returns a source that may be unreachable or empty at the start: Redis, a remote server. */
  public static RuleSource dynamic(ConfigProvider provider) {
    return new RuleSource(
        provider, RuleDocumentReader.withoutPlaceholders(), false, provider.canChange());
  }

  /**
   * Returns a source that belongs to the application, such as its annotations: required, and
   * without placeholders.
   */
  public static RuleSource ofApplication(ConfigProvider provider) {
    return new RuleSource(
        provider, RuleDocumentReader.withoutPlaceholders(), true, provider.canChange());
  }

  /** Returns this source, loaded only once. */
  public RuleSource frozen() {
    return new RuleSource(provider, reader, required, false);
  }
}
