package dev.redline.core;

import java.time.Duration;
import java.time.Instant;

/**
 * One band of a matching rule as a decision left it.
 *
 * @param owner the id of the rule or plan
 * @param label the band's label
 * @param passed whether the band passed
 * @param limit its capacity
 * @param remaining how many are left, rounded down
 * @param window the time from empty to full
 * @param next the time until the next token or window; zero when full
 * @param resetAt when it is full again if nobody takes more; a window: its end
 */
public record BandStatus(
    String owner,
    String label,
    boolean passed,
    long limit,
    long remaining,
    Duration window,
    Duration next,
    Instant resetAt) {}
