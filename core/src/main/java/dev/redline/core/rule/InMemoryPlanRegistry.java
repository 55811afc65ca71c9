package dev.redline.core.rule;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A plan registry in memory, for tests and fixed plans; thread-safe. */
public final class InMemoryPlanRegistry implements PlanRegistry {
  private final Map<String, RateLimitPlan> plans = new ConcurrentHashMap<>();

  /** Creates a registry of the given plans. */
  public InMemoryPlanRegistry(RateLimitPlan... plans) {
    List.of(plans).forEach(this::register);
  }

  /** Adds a plan, or replaces the one of its name. */
  public void register(RateLimitPlan plan) {
    plans.put(plan.id(), plan);
  }

  /** Returns all plans, in no order. */
  public List<RateLimitPlan> all() {
    return List.copyOf(plans.values());
  }

  @Override
  public Optional<RateLimitPlan> plan(String id) {
    return Optional.ofNullable(plans.get(id));
  }
}
