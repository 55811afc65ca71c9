package dev.redline.rules.documents.reading;

import dev.redline.core.key.KeyField;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.LimitScope;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.rules.documents.internal.syntax.EnumReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads whom a rule counts, in the short spelling {@code key} or the long {@code limitScope}. */
final class KeyReader {
  private static final EnumReader<LimitScope> SCOPES =
      EnumReader.of(
          LimitScope.class,
          Map.of(
              "PER_IP", LimitScope.IP,
              "PER_USER", LimitScope.USER_ID,
              "PER_USER_ID", LimitScope.USER_ID,
              "USER", LimitScope.USER_ID,
              "PER_API_KEY", LimitScope.API_KEY));

  private static final List<String> KEY_FIELDS = List.of("key", "limitScope", "compositeKeyFields");

  private final MappingReader fields;
  private final List<KeyField> key = new ArrayList<>();
  private final List<KeyField> compositeFields = new ArrayList<>();
  private @Nullable LimitScope scope;

  KeyReader(MappingReader fields) {
    this.fields = fields;
  }

  /** Reads the key into the rule; {@code paths} are the rule's, for variables named by the key. */
  void readInto(RateLimitRule.Builder rule, List<String> paths) {
    boolean composite = fields.hasValue("compositeKeyFields");
    boolean longSpelling = fields.has("limitScope") || composite;
    fields.texts("key", text -> key.add(KeyField.parse(text)));
    fields.word("limitScope", SCOPES, this::scope);
    if (composite) {
      fields.texts("compositeKeyFields", text -> compositeFields.add(KeyField.parse(text)));
    }
    if (fields.has("key") && longSpelling) {
      String other = fields.has("limitScope") ? "limitScope" : "compositeKeyFields";
      fields.reject(other, "'key' and '" + other + "' are two spellings of the same; keep one");
    } else if (scope == LimitScope.COMPOSITE && !composite) {
      fields.reject("limitScope", "limitScope COMPOSITE needs compositeKeyFields");
    } else if (composite && scope != null && scope != LimitScope.COMPOSITE) {
      fields.reject(
          "compositeKeyFields", "compositeKeyFields goes with limitScope COMPOSITE, not " + scope);
    }
    if (KEY_FIELDS.stream().allMatch(fields::isValid)) {
      key.addAll(compositeFields);
      KeyField[] read = key.toArray(new KeyField[0]);
      rule.key(read);
      if (fields.isValid("path")) {
        checkVariables(read, paths);
      }
    }
  }

  private void scope(LimitScope value) {
    scope = value;
    key.addAll(value.fields());
  }

  /**
   * Checks the key against the paths alone, so that other mistakes of the rule do not hide this
   * one.
   */
  private void checkVariables(KeyField[] read, List<String> paths) {
    RateLimitRule.Builder probe = RateLimitRule.builder().id("key").action(Action.ALLOW).key(read);
    paths.forEach(probe::path);
    try {
      probe.build();
    } catch (IllegalArgumentException e) {
      fields.reject(
          fields.has("key") ? "key" : "compositeKeyFields", String.valueOf(e.getMessage()));
    }
  }
}
