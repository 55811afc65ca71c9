package dev.redline.core;

import dev.redline.core.rule.CompiledRule;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import dev.redline.core.store.RateLimitKey;
import org.jspecify.annotations.Nullable;

/**
 * One bucket a question asks to take from.
 *
 * @param rule the rule it is for; null for a plan
 * @param key the bucket
 * @param cost how much to take
 * @param shadow whether a refusal does not count
 * @param meter where the verdict is counted
 */
record Demand(
    @Nullable CompiledRule rule, RateLimitKey key, long cost, boolean shadow, RuleMeter meter) {}
