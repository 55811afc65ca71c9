package dev.redline.server.data.connection;

import java.time.Duration;

/**
 * What a connection may cost.
 *
 * @param maxConnections how many connections may be open at once
 * @param headTimeout how long the head of a request may take, from its first byte
 * @param idleTimeout how long a connection may be open without a request
 * @param writeTimeout how long a client may read nothing of a response that waits for it
 */
public record ConnectionLimits(
    int maxConnections, Duration headTimeout, Duration idleTimeout, Duration writeTimeout) {}
