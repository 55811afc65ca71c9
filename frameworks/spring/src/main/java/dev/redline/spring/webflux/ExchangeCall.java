package dev.redline.spring.webflux;

import dev.redline.binding.Call;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/** A call whose request is an exchange of WebFlux. */
record ExchangeCall(Call call, ServerWebExchange exchange, RequestContext request, Headers headers)
    implements Call {
  /** Sets the header fields of a decision. */
  @FunctionalInterface
  interface Headers {
    void set(ServerWebExchange exchange, RateLimitResult result, boolean fallback);
  }

  @Override
  public @Nullable Object target() {
    return call.target();
  }

  @Override
  public @Nullable Object[] arguments() {
    return call.arguments();
  }

  @Override
  public boolean mayBlock() {
    return call.mayBlock();
  }

  @Override
  public Executor resumeOn() {
    return call.resumeOn();
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    headers.set(exchange, result, fallback);
  }

  @Override
  public @Nullable Object proceed() throws Throwable {
    return call.proceed();
  }
}
