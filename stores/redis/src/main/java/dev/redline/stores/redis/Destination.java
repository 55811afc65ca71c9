package dev.redline.stores.redis;

import org.jspecify.annotations.Nullable;

/**
 * Where a script call goes; looked up once for each call.
 *
 * @param connection the connection, or null if there is none
 * @param node the address of the master that owns the lane's slot; empty outside of a cluster
 * @param limit the in-flight limit of that master, or null outside of a cluster
 */
record Destination(
    @Nullable ScriptConnection connection, String node, @Nullable InFlightLimit limit) {}
