package dev.redline.rules.documents.internal.problem;

import dev.redline.core.rule.RateLimitPlan;
import java.util.List;

/**
 * A plan with the locations of its parts.
 *
 * @param plan the plan
 * @param location where problems with it are reported
 * @param bandLines the line of each of its bands
 */
public record LocatedPlan(RateLimitPlan plan, ProblemLocation location, List<Integer> bandLines) {}
