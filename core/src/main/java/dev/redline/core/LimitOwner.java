package dev.redline.core;

import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import org.jspecify.annotations.Nullable;

/**
 * Who demands a bucket. Made once for every rule and plan in force, and shared by all questions.
 *
 * @param rule the rule that demands it; null for a plan, and for a rule that only the caller knows
 * @param meter where the verdict is counted
 */
record LimitOwner(@Nullable CompiledRule rule, RuleMeter meter) {}
