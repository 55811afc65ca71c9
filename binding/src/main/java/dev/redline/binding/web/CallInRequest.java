package dev.redline.binding.web;

import dev.redline.binding.Call;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import org.jspecify.annotations.Nullable;

/**
 * A call that an interceptor sees, in the request that its thread handles, if there is one. The
 * request is described once, when a limit needs it.
 */
public abstract class CallInRequest implements Call {
  private final @Nullable Object target;
  private final @Nullable Object[] arguments;
  private final @Nullable CurrentRequest current;
  private @Nullable RequestContext described;

  /**
   * Creates a call.
   *
   * @param target the object whose method is called, not its proxy
   * @param arguments the arguments, which are not copied
   * @param current the request that the calling thread handles; null outside of requests
   */
  protected CallInRequest(
      @Nullable Object target, @Nullable Object[] arguments, @Nullable CurrentRequest current) {
    this.target = target;
    this.arguments = arguments;
    this.current = current;
  }

  @Override
  public final @Nullable Object target() {
    return target;
  }

  @Override
  public final @Nullable Object[] arguments() {
    return arguments;
  }

  @Override
  public final RequestContext request() {
    RequestContext request = described;
    if (request == null) {
      request = current == null ? RequestContext.EMPTY : current.describe();
      described = request;
    }
    return request;
  }

  @Override
  public final void decided(RateLimitResult result, boolean fallback) {
    if (current != null) {
      current.decided(result, fallback);
    }
  }
}
