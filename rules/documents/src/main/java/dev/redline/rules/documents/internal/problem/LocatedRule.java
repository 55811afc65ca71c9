package dev.redline.rules.documents.internal.problem;

import dev.redline.core.rule.RateLimitRule;
import java.util.List;

/**
 * A rule with the locations of its parts.
 *
 * @param rule the rule
 * @param location where problems with it are reported
 * @param line its line
 * @param pathLines the line of each of its paths
 * @param bandLines the line of each of its own bands
 */
public record LocatedRule(
    RateLimitRule rule,
    ProblemLocation location,
    int line,
    List<Integer> pathLines,
    List<Integer> bandLines) {}
