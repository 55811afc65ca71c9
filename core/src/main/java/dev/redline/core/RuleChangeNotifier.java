package dev.redline.core;

import dev.redline.core.rule.RuleBook;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notifies listeners of changed rules; an exception of one changes nothing for the others. */
final class RuleChangeNotifier {
  private static final Logger LOG = System.getLogger(RuleChangeNotifier.class.getName());

  private final List<RuleChange.Listener> listeners;

  RuleChangeNotifier(List<RuleChange.Listener> listeners) {
    this.listeners = listeners;
  }

  void notifyOf(@Nullable RuleBook before, RuleBook after) {
    if (listeners.isEmpty()) {
      return;
    }
    RuleChange change = RuleChange.between(before, after);
    for (RuleChange.Listener listener : listeners) {
      try {
        listener.rulesChanged(change);
      } catch (RuntimeException e) {
        LOG.log(
            Level.WARNING, "a rule change listener failed: " + listener.getClass().getName(), e);
      }
    }
  }
}
