package dev.redline.redis.internal;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.NettyCustomizer;
import java.time.Duration;

/**
 * What differs between the clients of the store, which must be fast, and those of the rule source,
 * which transfer large documents seldom.
 *
 * @param timeouts how long commands may take
 * @param timerTick how often time-outs are checked: they fire late by up to this
 * @param clusterWhileDisconnected what happens to commands for a cluster node that is not connected
 * @param channels is called for each new connection
 */
public record ClientTuning(
    TimeoutOptions timeouts,
    Duration timerTick,
    DisconnectedBehavior clusterWhileDisconnected,
    NettyCustomizer channels) {}
