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
 * @param overlay whether it only adds to other sources: a starting document is in force below its
 *     rules, and is never written to it
 */
public record RuleSource(
    ConfigProvider provider,
    RuleDocumentReader reader,
    boolean required,
    boolean live,
    boolean overlay) {
  /** Checks that nothing is null. */
  public RuleSource {
    Objects.requireNonNull(provider, "provider");
    Objects.requireNonNull(reader, "reader");
  }

  /** Returns a file, directory or ConfigMap: required, and with placeholders. */
  public static RuleSource ofFiles(ConfigProvider provider) {
    return new RuleSource(
        provider,
        RuleDocumentReader.withPlaceholders(System::getenv),
        true,
        provider.canChange(),
        false);
  }

  /** Returns a source that may be unreachable or empty at the start: Redis, a remote server. */
  public static RuleSource dynamic(ConfigProvider provider) {
    return new RuleSource(
        provider, RuleDocumentReader.withoutPlaceholders(), false, provider.canChange(), false);
  }

  /** Returns a dynamic source that only adds to other sources, such as edits of files. */
  public static RuleSource overlay(ConfigProvider provider) {
    return new RuleSource(
        provider, RuleDocumentReader.withoutPlaceholders(), false, provider.canChange(), true);
  }

  /**
   * Returns a source that belongs to the application, such as its annotations: required, and
   * without placeholders.
   */
  public static RuleSource ofApplication(ConfigProvider provider) {
    return new RuleSource(
        provider, RuleDocumentReader.withoutPlaceholders(), true, provider.canChange(), false);
  }

  /** Returns this source, loaded only once. */
  public RuleSource frozen() {
    return new RuleSource(provider, reader, required, false, overlay);
  }
}
