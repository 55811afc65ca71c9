package dev.redline.core.rule;

import dev.redline.core.key.KeyField;
import java.util.List;

/** The long spelling of a rule's key: whom one bucket belongs to. */
public enum LimitScope {
  /** One bucket for everybody. */
  GLOBAL,
  /** One bucket per client address. */
  IP,
  /** One bucket per user. */
  USER_ID,
  /** One bucket per API key. */
  API_KEY,
  /** One bucket per combination of several fields, named beside it. */
  COMPOSITE;

  /** Returns the key fields this scope stands for; empty for {@link #COMPOSITE}. */
  public List<KeyField> fields() {
    return switch (this) {
      case GLOBAL -> List.of(KeyField.global());
      case IP -> List.of(KeyField.ip());
      case USER_ID -> List.of(KeyField.userId());
      case API_KEY -> List.of(KeyField.apiKey());
      case COMPOSITE -> List.of();
    };
  }
}
