package dev.redline.core;

/**
 * Is notified when other rules come into force, for example to log the change or to warm a cache.
 *
 * <p>Called on the thread that brings the rules into force, after decisions go by them, one change
 * at a time. An exception is logged and changes nothing.
 */
@FunctionalInterface
public interface RuleChangeListener {
  /** Other rules are in force. */
  void rulesChanged(RuleChange change);
}
