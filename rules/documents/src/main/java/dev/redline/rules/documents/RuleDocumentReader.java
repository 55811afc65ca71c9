package dev.redline.rules.documents;

import dev.redline.core.spi.ConfigProvider;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads YAML and JSON rule documents, and names everything that is wrong with them at once.
 *
 * <p>Immutable and safe for use by several threads.
 */
public final class RuleDocumentReader {
  private final Placeholders placeholders;

  private RuleDocumentReader(Placeholders placeholders) {
    this.placeholders = placeholders;
  }

  /**
   * Returns a reader that replaces {@code ${NAME}} and {@code ${NAME:default}}: for files and
   * ConfigMaps.
   *
   * @param environment the value of a name, or null if it has none
   */
  public static RuleDocumentReader withPlaceholders(
      Function<String, @Nullable String> environment) {
    return new RuleDocumentReader(Placeholders.from(environment));
  }

  /** Returns a reader to which a placeholder is an error: for all other sources. */
  public static RuleDocumentReader withoutPlaceholders() {
    return new RuleDocumentReader(Placeholders.refused());
  }

  /**
   * Reads the documents of one source as one: an id used twice is an error that names both places.
   */
  public ReadResult read(List<ConfigProvider.Document> documents) {
    return read(documents, Set.of());
  }

  /**
   * Reads the documents of one source whose rules may name plans that another source defines.
   *
   * @param plansElsewhere the ids of those plans
   */
  public ReadResult read(List<ConfigProvider.Document> documents, Set<String> plansElsewhere) {
    return new Reading(placeholders, plansElsewhere).read(documents);
  }
}
