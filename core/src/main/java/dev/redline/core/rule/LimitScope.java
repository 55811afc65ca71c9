package dev.redline.core.rule;

import dev.redline.core.key.KeyField;
import java.util.List;
import java.util.Optional;

/** The long spelling of a rule's key: whom one bucket belongs to. */
public enum LimitScope {
  /** One bucket for everybody. */
  GLOBAL(KeyField.global()),
  /** One bucket per client address. */
  IP(KeyField.ip()),
  /** One bucket per user. */
  USER_ID(KeyField.userId()),
  /** One bucket per API key. */
  API_KEY(KeyField.apiKey()),
  /** One bucket per combination of several fields, named beside it. */
  COMPOSITE;

  private final Optional<KeyField> field;

  LimitScope(KeyField field) {
    this.field = Optional.of(field);
  }

  LimitScope() {
    this.field = Optional.empty();
  }

  /** Returns the key fields this scope stands for; empty for {@link #COMPOSITE}. */
  public List<KeyField> fields() {
    return field.stream().toList();
  }
}
