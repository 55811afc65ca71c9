package dev.redline.rules.documents.reading;

import dev.redline.core.rule.MatchCondition;
import dev.redline.core.rule.RuleMatch;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.internal.parsing.Placeholders;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads YAML, JSON and properties rule documents, and names everything that is wrong with them at
 * once.
 *
 * <p>A document whose name ends in {@code .properties} is read as properties, every other as YAML.
 * Immutable and safe for use by several threads.
 */
public final class RuleDocumentReader {
  private final Placeholders placeholders;
  private final List<MatchCondition.Type> conditions;
  private final boolean warnOfWaits;

  private RuleDocumentReader(
      Placeholders placeholders, List<MatchCondition.Type> conditions, boolean warnOfWaits) {
    this.placeholders = placeholders;
    this.conditions = conditions;
    this.warnOfWaits = warnOfWaits;
  }

  /**
   * Returns a reader that replaces {@code ${NAME}} and {@code ${NAME:default}}: for files and
   * ConfigMaps.
   *
   * @param environment the value of a name, or null if it has none
   */
  public static RuleDocumentReader withPlaceholders(
      Function<String, @Nullable String> environment) {
    return new RuleDocumentReader(Placeholders.from(environment), RuleMatch.TYPES, false);
  }

  /** Returns a reader to which a placeholder is an error: for all other sources. */
  public static RuleDocumentReader withoutPlaceholders() {
    return new RuleDocumentReader(Placeholders.rejected(), RuleMatch.TYPES, false);
  }

  /** Returns this reader for the service, which accepts rules that wait and never waits itself. */
  public RuleDocumentReader warningOfWaits() {
    return new RuleDocumentReader(placeholders, conditions, true);
  }

  /**
   * Returns this reader, which also knows conditions of another type under {@code match}.
   *
   * @throws IllegalArgumentException if a condition of that name is known already
   */
  public RuleDocumentReader withCondition(MatchCondition.Type type) {
    if (conditions.stream().anyMatch(known -> known.name().equals(type.name()))) {
      throw new IllegalArgumentException("there is a condition '" + type.name() + "' already");
    }
    return new RuleDocumentReader(
        placeholders, Stream.concat(conditions.stream(), Stream.of(type)).toList(), warnOfWaits);
  }

  /**
   * Reads the documents of one source as one: an id used twice is an error that names both
   * locations.
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
    return draft(documents).finish(plansElsewhere);
  }

  /**
   * Reads the documents of one source without checking references to plans of other sources:
   * sources may refer to each other's plans, so all are read before references are checked.
   */
  public Draft draft(List<ConfigProvider.Document> documents) {
    SourceReader reading = new SourceReader(placeholders, new MatchReader(conditions), warnOfWaits);
    reading.read(documents);
    return new Draft(reading);
  }

  /** Documents that were read, before their references to plans of other sources are checked. */
  public static final class Draft {
    private final SourceReader reading;

    private Draft(SourceReader reading) {
      this.reading = reading;
    }

    /** Returns the ids of the plans they define. */
    public Set<String> planIds() {
      return reading.planIds();
    }

    /**
     * Returns the result of reading them. Must be called once.
     *
     * @param plansElsewhere the ids of the plans that other sources define
     */
    public ReadResult finish(Set<String> plansElsewhere) {
      return reading.finish(plansElsewhere);
    }
  }
}
