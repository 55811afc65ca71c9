package dev.redline.bench.local;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import java.util.List;

/** Redline as applications call it: {@code allow(key, plans, 1)} with its whole result. */
final class RedlineAllow implements KeyPopulation {
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine;
  private final Keys keys;

  RedlineAllow(Keys keys, Mix mix) {
    this.keys = keys;
    RateLimitPlan gold = RateLimitPlan.of("gold", RedlineStore.band(mix));
    this.engine =
        RateLimitEngine.builder(store)
            .book(RuleBook.builder().plans(List.of(gold)).build())
            .build();
    for (int i = 0; i < keys.size(); i++) {
      engine.allow(keys.stored(i), List.of("gold"), 1);
    }
  }

  @Override
  public Caller caller() {
    return i -> allow(keys.requested(i));
  }

  private boolean allow(String key) {
    RateLimitResult result = engine.allow(key, List.of("gold"), 1);
    boolean told = result.remainingOrAbsent() >= 0 && result.retryAfterMicrosOrAbsent() != 0;
    return told && result.allowed();
  }

  @Override
  public void close() {
    store.close();
  }
}
