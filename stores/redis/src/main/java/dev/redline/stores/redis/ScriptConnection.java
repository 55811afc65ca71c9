package dev.redline.stores.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A connection that runs scripts, with at-most-once delivery. */
interface ScriptConnection {
  /** Where connections come from. */
  interface Source {
    /** Returns the connection, or null before the first one and after closing. */
    @Nullable ScriptConnection connection();

    /** Returns why there is no connection. */
    String notConnectedReason();
  }

  boolean cluster();

  /** Returns the address of the master that owns a slot; empty outside of a cluster or unknown. */
  String masterAddress(int slot);

  /** Calls a script by its digest, or with its text; writes the reply to {@code out}. */
  CompletionStage<long[]> call(
      boolean byDigest,
      byte[] script,
      List<byte[]> keys,
      List<byte[]> arguments,
      NumbersOutput out);

  /** Looks for the current master, after a server stopped replying or became a replica. */
  void renew();

  /** Likewise, and reconnects to a master that accepts commands and never replies. */
  void renew(String node);
}
