package dev.redline.stores.redis;

import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;

/**
 * What a failed script call means for sending it again: only proof that it did not run allows it.
 */
enum ScriptFailure {
  /** The server does not know the script: send its text. */
  UNKNOWN_SCRIPT,
  /** The server did not run it, and may soon. */
  NOT_NOW,
  /** It was rejected before it was written: there is no connection at the moment. */
  NOT_THERE,
  /** The server is no master any more: ask the one that is. */
  DEMOTED,
  /**
   * The slot is moving, and keys that have not moved yet cannot be asked for with those that have.
   */
  SPLIT,
  /** It was sent and not answered: it may have run, and is never sent again. */
  UNANSWERED,
  /** Anything else. */
  FAILED;

  /** How Lettuce begins to say that a command was rejected before it was written. */
  private static final String NOT_CONNECTED = "Currently not connected";

  static ScriptFailure of(Throwable error) {
    if (error instanceof RedisNoScriptException) {
      return UNKNOWN_SCRIPT;
    }
    if (error instanceof RedisLoadingException || error instanceof RedisBusyException) {
      return NOT_NOW;
    }
    if (error instanceof RedisReadOnlyException) {
      return DEMOTED;
    }
    if (error instanceof RedisCommandTimeoutException) {
      return UNANSWERED;
    }
    String message = String.valueOf(error.getMessage());
    if (error instanceof RedisException && message.startsWith(NOT_CONNECTED)) {
      return NOT_THERE;
    }
    if (error instanceof RedisCommandExecutionException && message.startsWith("TRYAGAIN")) {
      return SPLIT;
    }
    return error instanceof RedisCommandExecutionException && message.startsWith("CLUSTERDOWN")
        ? NOT_NOW
        : FAILED;
  }
}
