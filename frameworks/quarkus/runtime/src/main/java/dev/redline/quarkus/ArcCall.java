package dev.redline.quarkus;

import dev.redline.binding.Call;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import io.vertx.ext.web.RoutingContext;
import jakarta.interceptor.InvocationContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A call that an interceptor of a CDI bean sees. */
final class ArcCall implements Call {
  private final InvocationContext invocation;
  private final @Nullable RoutingContext routing;
  private final RoutingRequests requests;
  private final RoutingResponses responses;
  private final CallerContext caller = CallerContext.current();
  private @Nullable RequestContext described;

  /**
   * Creates a call of this thread.
   *
   * @param routing the current HTTP request, or null outside of requests
   */
  ArcCall(
      InvocationContext invocation,
      @Nullable RoutingContext routing,
      RoutingRequests requests,
      RoutingResponses responses) {
    this.invocation = invocation;
    this.routing = routing;
    this.requests = requests;
    this.responses = responses;
  }

  @Override
  public @Nullable Object target() {
    return invocation.getTarget();
  }

  @Override
  public @Nullable Object[] arguments() {
    return invocation.getParameters();
  }

  @Override
  public RequestContext request() {
    RequestContext request = described;
    if (request == null) {
      request = routing == null ? RequestContext.EMPTY : requests.describe(routing);
      described = request;
    }
    return request;
  }

  @Override
  public boolean mayBlock() {
    return caller.mayBlock();
  }

  @Override
  public Executor resumeOn() {
    return caller;
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    if (routing != null) {
      responses.addHeaders(routing, result, !fallback);
    }
  }

  @Override
  public @Nullable Object proceed() throws Exception {
    return invocation.proceed();
  }
}
