package dev.redline.rules.documents.reading;

import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Placeholders;
import dev.redline.rules.documents.internal.problem.LocatedRule;
import dev.redline.rules.documents.internal.problem.ProblemLocation;
import dev.redline.rules.documents.internal.syntax.EnumReader;
import dev.redline.rules.documents.internal.syntax.TimeText;
import dev.redline.rules.documents.reading.LimitsReader.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads one rule. */
final class RuleReader {
  private static final EnumReader<Action> ACTIONS = EnumReader.of(Action.class);
  private static final EnumReader<Mode> MODES = EnumReader.of(Mode.class);
  private static final EnumReader<OnMissingIdentity> ON_MISSING_IDENTITY =
      EnumReader.of(OnMissingIdentity.class);
  private static final EnumReader<OnLimitExceed> ON_LIMIT_EXCEED =
      EnumReader.of(OnLimitExceed.class, Map.of("REJECT_REQUEST", OnLimitExceed.REJECT));
  private static final EnumReader<OnStoreFailure> ON_STORE_FAILURE =
      EnumReader.of(
          OnStoreFailure.class,
          Map.of("fail-open", OnStoreFailure.OPEN, "fail-closed", OnStoreFailure.CLOSED));
  private static final List<String> LIMITS = List.of("limit", "bands", "plan", "plans");

  private final MappingReader fields;
  private final Optional<String> enclosingSet;
  private final PlanReferences references;
  private final MatchReader matches;
  private final RateLimitRule.Builder rule = RateLimitRule.builder();
  private final List<String> paths = new ArrayList<>();
  private final List<Integer> pathLines = new ArrayList<>();
  private Action action = Action.LIMIT;

  /** Prepares to read a rule, which may be inside a rule set. */
  RuleReader(
      ProblemLocation location,
      Mapping mapping,
      Placeholders placeholders,
      Optional<String> enclosingSet,
      PlanReferences references,
      MatchReader matches) {
    this.fields = new MappingReader(location, mapping, FieldNames.RULE, placeholders);
    this.enclosingSet = enclosingSet;
    this.references = references;
    this.matches = matches;
  }

  /** Returns the rule, or nothing after reporting every mistake in it. */
  Optional<LocatedRule> read() {
    readId();
    readRuleSetId();
    readRequests();
    new KeyReader(fields).readInto(rule, paths);
    Limits limits = readLimits();
    readBehaviour();
    if (!fields.isValid()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new LocatedRule(
              rule.build(), fields.location(), fields.line(), pathLines, limits.lines()));
    } catch (IllegalArgumentException e) {
      fields.location().error(fields.line(), String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private void readId() {
    fields.text("id", rule::id);
    if (!fields.has("id") && !fields.hasUnknownFields()) {
      fields.missing("id", "id is required");
    }
  }

  private void readRuleSetId() {
    enclosingSet.ifPresent(rule::ruleSetId);
    fields.text(
        "ruleSetId",
        text -> {
          if (enclosingSet.isPresent() && !enclosingSet.get().equals(text)) {
            throw new IllegalArgumentException(
                "ruleSetId must be that of the enclosing rule set '"
                    + enclosingSet.get()
                    + "', was '"
                    + text
                    + "'");
          }
          rule.ruleSetId(text);
        });
  }

  private void readRequests() {
    fields.word(
        "action",
        ACTIONS,
        value -> {
          action = value;
          rule.action(value);
        });
    fields.textsWithLines(
        "path",
        (text, line) -> {
          rule.path(text);
          paths.add(text);
          pathLines.add(line);
        });
    fields.texts("method", rule::method);
    matches.readInto(rule, fields);
  }

  private Limits readLimits() {
    Limits limits = new LimitsReader(fields).read();
    limits.bands().forEach(rule::addBand);
    for (String name : List.of("plan", "plans")) {
      if (fields.hasValue(name)) {
        fields.textsWithLines(name, (text, line) -> plan(name, text, line));
      }
    }
    List<String> given = LIMITS.stream().filter(fields::hasValue).toList();
    if (!fields.isValid("action")) {
      return limits;
    }
    if (action != Action.LIMIT && !given.isEmpty()) {
      String name = given.get(0);
      fields.reject(name, "action " + action + " takes no limits; leave out " + name);
    }
    if (action == Action.LIMIT && given.isEmpty() && !fields.hasUnknownFields()) {
      fields.missing("limit", "needs at least one of limit, bands, plan, plans");
    }
    return limits;
  }

  private void plan(String field, String plan, int line) {
    rule.plan(plan);
    references.add(fields.location(), line, field, plan);
  }

  private void readBehaviour() {
    fields.word("onMissingIdentity", ON_MISSING_IDENTITY, rule::onMissingIdentity);
    fields.number("cost", rule::cost);
    fields.number("priority", value -> rule.priority(priority(value)));
    fields.flag("stop", rule::stop);
    fields.flag("enabled", rule::enabled);
    fields.word("mode", MODES, rule::mode);
    fields.word("onLimitExceed", ON_LIMIT_EXCEED, rule::onLimitExceed);
    fields.word("onStoreFailure", ON_STORE_FAILURE, rule::onStoreFailure);
    fields
        .mapping("metadata", "a mapping")
        .ifPresent(
            names -> new StringMapReader(fields, "metadata").values(names).forEach(rule::metadata));
    fields.text("createdAt", text -> rule.createdAt(TimeText.check("createdAt", text)));
    fields.text("updatedAt", text -> rule.updatedAt(TimeText.check("updatedAt", text)));
  }

  private static int priority(long value) {
    if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "priority must be between "
              + Integer.MIN_VALUE
              + " and "
              + Integer.MAX_VALUE
              + ", was "
              + value);
    }
    return (int) value;
  }
}
