package dev.redline.quarkus;

import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Where a caller runs: its Vert.x context, which holds the request, on an event loop or on a thread
 * that may block. As an executor it continues there what another thread completed.
 *
 * @param context the context, null on threads without one
 * @param mayBlock whether the thread may block: a worker or a virtual thread
 */
record CallerContext(@Nullable Context context, boolean mayBlock) implements Executor {
  /** Returns where this thread is. */
  static CallerContext current() {
    return new CallerContext(Vertx.currentContext(), BlockingOperationControl.isBlockingAllowed());
  }

  @Override
  public void execute(Runnable task) {
    if (context == null) {
      Infrastructure.getDefaultExecutor().execute(task);
    } else if (mayBlock) {
      context
          .executeBlocking(
              () -> {
                task.run();
                return true;
              },
              false)
          .onFailure(CallerContext::rethrow);
    } else {
      context.runOnContext(ignored -> task.run());
    }
  }

  /** Lets the handler of uncaught exceptions see a failure; tasks handle their own. */
  private static void rethrow(Throwable failure) {
    throw new IllegalStateException(failure);
  }
}
