package dev.redline.stores.redis;

import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;

/**
 * Why a script call failed, which decides whether it is sent again: only if it certainly did not
 * run.
 */
enum ScriptFailure {
  /** The server does not have the script: send its text. */
  NO_SCRIPT,
  /** The server is loading, busy or without a quorum, and did not run the script: retry. */
  BUSY,
  /** Lettuce rejected the call before writing it, because it is not connected: retry. */
  NOT_CONNECTED,
  /** The server is a replica: find the master, then retry. */
  READ_ONLY,
  /** The slot is migrating, and the keys are on two servers: send the acquisitions one by one. */
  SLOT_MOVING,
  /** The call was sent and got no reply. It may have run, so it is never sent again. */
  TIMED_OUT,
  /** Anything else, such as an error of the script. */
  OTHER;

  /** How Lettuce's message starts when it rejects a command before writing it. */
  private static final String REJECTED = "Currently not connected";

  static ScriptFailure of(Throwable error) {
    if (error instanceof RedisNoScriptException) {
      return NO_SCRIPT;
    }
    if (error instanceof RedisLoadingException || error instanceof RedisBusyException) {
      return BUSY;
    }
    if (error instanceof RedisReadOnlyException) {
      return READ_ONLY;
    }
    if (error instanceof RedisCommandTimeoutException) {
      return TIMED_OUT;
    }
    String message = String.valueOf(error.getMessage());
    if (error instanceof RedisException && message.startsWith(REJECTED)) {
      return NOT_CONNECTED;
    }
    if (error instanceof RedisCommandExecutionException && message.startsWith("TRYAGAIN")) {
      return SLOT_MOVING;
    }
    return error instanceof RedisCommandExecutionException && message.startsWith("CLUSTERDOWN")
        ? BUSY
        : OTHER;
  }
}
