package dev.redline.rules.documents.reading;

import dev.redline.core.rule.MatchCondition;
import dev.redline.core.rule.MatchCondition.OfNamedTexts;
import dev.redline.core.rule.MatchCondition.OfTexts;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleMatch;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the further conditions of rules, of the types it knows. */
final class MatchReader {
  private final List<MatchCondition.Type> types;
  private final FieldNames names;

  MatchReader(List<MatchCondition.Type> types) {
    this.types = List.copyOf(types);
    this.names = FieldNames.of(types.stream().map(MatchCondition.Type::name).toList());
  }

  void readInto(RateLimitRule.Builder rule, MappingReader ruleFields) {
    Optional<Mapping> mapping = ruleFields.mapping("match", "a mapping of conditions");
    if (mapping.isEmpty()) {
      return;
    }
    MappingReader fields =
        new MappingReader(
            ruleFields.location().within("match"), mapping.get(), names, ruleFields.placeholders());
    List<MatchCondition> conditions = new ArrayList<>();
    for (MatchCondition.Type type : types) {
      if (type instanceof OfTexts ofTexts) {
        readTexts(ofTexts, fields).ifPresent(conditions::add);
      } else if (type instanceof OfNamedTexts ofNamedTexts) {
        readNamedTexts(ofNamedTexts, fields).ifPresent(conditions::add);
      }
    }
    if (fields.isValid()) {
      rule.match(new RuleMatch(conditions));
    } else {
      ruleFields.markInvalid("match");
    }
  }

  private static Optional<MatchCondition> readTexts(OfTexts type, MappingReader fields) {
    List<String> texts = new ArrayList<>();
    fields.texts(
        type.name(),
        text -> {
          // Read alone first, so that an invalid text is reported with its own line.
          var unused = type.reader().apply(List.of(text));
          texts.add(text);
        });
    return texts.isEmpty() ? Optional.empty() : Optional.of(type.reader().apply(texts));
  }

  private static Optional<MatchCondition> readNamedTexts(OfNamedTexts type, MappingReader fields) {
    Map<String, String> texts = new LinkedHashMap<>();
    fields
        .mapping(type.name(), "a mapping of names to globs")
        .ifPresent(
            mapping ->
                new StringMapReader(fields, type.name())
                    .texts(
                        mapping,
                        (name, text) -> {
                          var unused = type.reader().apply(Map.of(name, text));
                          texts.put(name, text);
                        }));
    return texts.isEmpty() ? Optional.empty() : Optional.of(type.reader().apply(texts));
  }
}
