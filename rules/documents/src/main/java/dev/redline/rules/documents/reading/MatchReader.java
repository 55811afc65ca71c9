package dev.redline.rules.documents.reading;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleMatch;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import java.util.Optional;

/** Reads a rule's further conditions. */
final class MatchReader {
  private MatchReader() {}

  static void readInto(RateLimitRule.Builder rule, MappingReader ruleFields) {
    Optional<Mapping> mapping = ruleFields.mapping("match", "a mapping of conditions");
    if (mapping.isEmpty()) {
      return;
    }
    MappingReader fields =
        new MappingReader(
            ruleFields.place().within("match"),
            mapping.get(),
            FieldNames.MATCH,
            ruleFields.placeholders());
    RuleMatch.Builder match = RuleMatch.builder();
    fields
        .mapping("headers", "a mapping of names to globs")
        .ifPresent(names -> new StringMapReader(fields, "headers").texts(names, match::header));
    fields
        .mapping("attributes", "a mapping of names to globs")
        .ifPresent(
            names -> new StringMapReader(fields, "attributes").texts(names, match::attribute));
    fields.texts("clientIps", match::clientIp);
    fields.texts("userIds", match::userId);
    if (fields.sound()) {
      rule.match(match.build());
    } else {
      ruleFields.markFaulty("match");
    }
  }
}
