package dev.redline.rules.documents.reading;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.internal.linting.DocumentLinter;
import dev.redline.rules.documents.internal.parsing.Node;
import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import dev.redline.rules.documents.internal.parsing.NodeParser;
import dev.redline.rules.documents.internal.parsing.Placeholders;
import dev.redline.rules.documents.internal.parsing.PropertiesParser;
import dev.redline.rules.documents.internal.parsing.ScalarType;
import dev.redline.rules.documents.internal.parsing.SyntaxException;
import dev.redline.rules.documents.internal.parsing.Utf8;
import dev.redline.rules.documents.internal.problem.Findings;
import dev.redline.rules.documents.internal.problem.LocatedPlan;
import dev.redline.rules.documents.internal.problem.LocatedRule;
import dev.redline.rules.documents.internal.problem.ProblemLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One reading of one source's documents. */
final class SourceReader {
  private static final RuleDocument NOTHING = new RuleDocument(1, List.of(), List.of(), List.of());

  private final Placeholders placeholders;
  private final MatchReader matches;
  private final boolean warnOfWaits;
  private final Findings findings = new Findings();
  private final List<LocatedRule> rules = new ArrayList<>();
  private final List<LocatedPlan> plans = new ArrayList<>();
  private final Set<String> ruleSetIds = new LinkedHashSet<>();
  private final Map<String, String> ruleLocations = new HashMap<>();
  private final Map<String, String> planLocations = new HashMap<>();
  private final PlanReferences references = new PlanReferences();
  private final List<String> names = new ArrayList<>();
  private long version = 1;
  private boolean substance;

  SourceReader(Placeholders placeholders, MatchReader matches, boolean warnOfWaits) {
    this.matches = matches;
    this.warnOfWaits = warnOfWaits;
    this.placeholders = placeholders.hidingIn(findings.hidden());
  }

  void read(List<Document> documents) {
    long bytes = 0;
    documents.forEach(document -> names.add(document.name()));
    for (Document document : documents) {
      ProblemLocation location = ProblemLocation.document(findings, document.name());
      bytes += Utf8.length(document.content());
      if (bytes > NodeParser.MAX_BYTES) {
        location.error(1, "the rules are larger than 32 MiB; nothing after this was read");
        substance = true;
        break;
      }
      read(location, document.content());
    }
    if (!substance) {
      String name = names.isEmpty() ? "rules" : names.get(0);
      ProblemLocation.document(findings, name)
          .error(1, "a rule document needs at least one of rules, ruleSets, plans");
    }
  }

  /** Returns the ids of the plans that were read. */
  Set<String> planIds() {
    return Set.copyOf(planLocations.keySet());
  }

  /** Checks references to plans and returns the result. Must be called once. */
  ReadResult finish(Set<String> plansElsewhere) {
    references.check(planLocations.keySet(), plansElsewhere);
    // Also of a document with errors, so that one run of validate shows all there is to mend.
    DocumentLinter.find(rules, plans);
    if (warnOfWaits) {
      DocumentLinter.waits(rules);
    }
    List<RuleProblem> errors = findings.errors(names);
    if (!errors.isEmpty()) {
      return new ReadResult(NOTHING, errors, findings.warnings(names));
    }
    RuleDocument document =
        new RuleDocument(
            version,
            plans.stream().map(LocatedPlan::plan).toList(),
            rules.stream().map(LocatedRule::rule).toList(),
            List.copyOf(ruleSetIds));
    return new ReadResult(document, List.of(), findings.warnings(names));
  }

  private void read(ProblemLocation location, String content) {
    Node root;
    try {
      root =
          location.document().endsWith(".properties")
              ? PropertiesParser.parse(content)
              : NodeParser.parse(content);
    } catch (SyntaxException e) {
      location.error(e.line(), String.valueOf(e.getMessage()));
      substance = true;
      return;
    }
    if (root instanceof Sequence sequence) {
      substance = true;
      readRules(location, sequence.items(), "rule", Optional.empty());
    } else if (root instanceof Mapping mapping) {
      readMapping(location, mapping);
    } else if (root != null
        && !(root instanceof Scalar scalar && scalar.type() == ScalarType.NULL)) {
      substance = true;
      location.error(
          root.line(),
          // Not what it is instead: a directory of rules may hold a file that is none of them.
          "a rule document is a mapping with rules, ruleSets or plans, or a list of rules");
    }
  }

  private void readMapping(ProblemLocation location, Mapping root) {
    List<Entry> entries =
        root.entries().stream().filter(entry -> !entry.key().text().startsWith("x-")).toList();
    if (looksLikeOneRule(entries)) {
      substance = true;
      location.error(
          root.line(), "a rule stands here alone; write it as an item of a list under rules");
      return;
    }
    MappingReader fields =
        new MappingReader(
            location, new Mapping(entries, root.line()), FieldNames.DOCUMENT, placeholders);
    substance |= fields.has("rules") || fields.has("ruleSets") || fields.has("plans");
    substance |= fields.hasUnknownFields();
    fields.number("version", this::version);
    fields.list("plans", "a list of plans").ifPresent(items -> readPlans(location, items));
    fields
        .list("rules", "a list of rules")
        .ifPresent(items -> readRules(location, items, "rule", Optional.empty()));
    fields
        .list("ruleSets", "a list of rule sets")
        .ifPresent(items -> readRuleSets(location, items));
  }

  private static boolean looksLikeOneRule(List<Entry> entries) {
    List<String> names = entries.stream().map(entry -> entry.key().text()).toList();
    return (names.contains("id") || names.contains("_id"))
        && names.stream().allMatch(name -> FieldNames.RULE.canonical(name) != null);
  }

  private void version(long value) {
    if (value < 0) {
      throw new IllegalArgumentException("version must be at least 0, was " + value);
    }
    version = Math.max(version, value);
  }

  private void readRuleSets(ProblemLocation location, List<Node> items) {
    for (int i = 0; i < items.size(); i++) {
      if (!(items.get(i) instanceof Mapping mapping)) {
        notAMapping(location, "ruleSets", "rule set " + (i + 1), items.get(i));
        continue;
      }
      Optional<String> name = id(mapping);
      ProblemLocation set =
          location.within("rule set " + name.map(n -> "'" + n + "'").orElse("" + (i + 1)));
      MappingReader fields = new MappingReader(set, mapping, FieldNames.RULE_SET, placeholders);
      StringBuilder id = new StringBuilder();
      fields.text("id", text -> id.append(checkRuleSetId(text)));
      if (!fields.has("id") && !fields.hasUnknownFields()) {
        fields.missing("id", "id is required");
      }
      Optional<String> enclosing = id.isEmpty() ? Optional.empty() : Optional.of(id.toString());
      enclosing.ifPresent(ruleSetIds::add);
      String prefix = name.map(n -> "rule set '" + n + "': rule").orElse("rule");
      fields
          .list("rules", "a list of rules")
          .ifPresent(rules -> readRules(location, rules, prefix, enclosing));
    }
  }

  /** Lets the model check the id of a rule set. */
  private static String checkRuleSetId(String id) {
    RateLimitRule.builder().ruleSetId(id);
    return id;
  }

  private void readRules(
      ProblemLocation location, List<Node> items, String prefix, Optional<String> enclosingSet) {
    if (items.isEmpty() && enclosingSet.isEmpty()) {
      ruleSetIds.add(RateLimitRule.DEFAULT_RULE_SET);
    }
    for (int i = 0; i < items.size(); i++) {
      if (!(items.get(i) instanceof Mapping mapping)) {
        notAMapping(location, "rules", prefix + " " + (i + 1), items.get(i));
        continue;
      }
      Optional<String> id = id(mapping);
      ProblemLocation own =
          id.isPresent() ? location.rule(id.get()) : location.within(prefix + " " + (i + 1));
      boolean first = id.isEmpty() || isFirst(ruleLocations, own, mapping, id.get());
      new RuleReader(own, mapping, placeholders, enclosingSet, references, matches)
          .read()
          .filter(read -> first)
          .ifPresent(
              read -> {
                rules.add(read);
                ruleSetIds.add(read.rule().ruleSetId());
              });
    }
  }

  private void readPlans(ProblemLocation location, List<Node> items) {
    for (int i = 0; i < items.size(); i++) {
      if (!(items.get(i) instanceof Mapping mapping)) {
        notAMapping(location, "plans", "plan " + (i + 1), items.get(i));
        continue;
      }
      Optional<String> id = id(mapping);
      ProblemLocation own =
          location.within("plan " + id.map(n -> "'" + n + "'").orElse("" + (i + 1)));
      boolean first = id.isEmpty() || isFirst(planLocations, own, mapping, id.get());
      PlanReader.read(own, mapping, placeholders).filter(read -> first).ifPresent(plans::add);
    }
  }

  private static void notAMapping(ProblemLocation location, String field, String what, Node item) {
    String value = item.describe();
    location.error(
        item.line(), field, value, field + ": " + what + " must be a mapping, was '" + value + "'");
  }

  /**
   * Returns whether an id is new, and reports both locations if not. Unresolved ids count as new.
   */
  private static boolean isFirst(
      Map<String, String> locations, ProblemLocation location, Mapping mapping, String id) {
    int line =
        mapping.entries().stream()
            .filter(entry -> isId(entry.key().text()))
            .mapToInt(entry -> entry.key().line())
            .findFirst()
            .orElse(mapping.line());
    String first = id.contains("${") ? null : locations.putIfAbsent(id, location.at(line));
    if (first != null) {
      location.error(line, "id", id, "id '" + id + "' is already used at " + first);
    }
    return first == null;
  }

  /** Returns the id, as far as messages need it; whether it is a good one is checked later. */
  private Optional<String> id(Mapping mapping) {
    for (Entry entry : mapping.entries()) {
      if (isId(entry.key().text())
          && entry.value() instanceof Scalar scalar
          && scalar.type() != ScalarType.NULL) {
        try {
          return Optional.of(placeholders.resolve(scalar).text());
        } catch (IllegalArgumentException e) {
          return Optional.of(scalar.text());
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isId(String name) {
    return name.equals("id") || name.equals("_id");
  }
}
