package dev.redline.rules.documents.loading;

import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the recorded loads. */
final class LoadCounts implements MetricsExporter {
  final AtomicInteger good = new AtomicInteger();
  final AtomicInteger bad = new AtomicInteger();
  final AtomicInteger confirmed = new AtomicInteger();
  volatile long version;

  @Override
  public RuleMeter meter(String ruleSetId, String ruleId) {
    return RuleMeter.NONE;
  }

  @Override
  public void inForce(RuleBook book) {
    version = book.version();
  }

  @Override
  public void rulesLoaded(boolean success) {
    (success ? good : bad).incrementAndGet();
  }

  @Override
  public void rulesConfirmed() {
    confirmed.incrementAndGet();
  }
}
