package dev.redline.spring.webflux;

import dev.redline.binding.Call;
import dev.redline.binding.CallPlan;
import dev.redline.binding.ReturnAdapter;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Limits methods that return a {@code Mono} or {@code Flux}: each subscription is decided and runs
 * the method once, and a denial is an error signal. The request is the exchange in the subscriber's
 * context.
 */
public final class PublisherAdapter implements ReturnAdapter {
  private final boolean flux;
  private final @Nullable ReactiveRequests requests;
  private final @Nullable ReactiveResponses responses;

  private PublisherAdapter(
      boolean flux, @Nullable ReactiveRequests requests, @Nullable ReactiveResponses responses) {
    this.flux = flux;
    this.requests = requests;
    this.responses = responses;
  }

  /**
   * Returns the adapter of methods that return a {@code Mono}.
   *
   * @param requests describes the requests of WebFlux; null if the application is no WebFlux one
   * @param responses gets the header fields of decisions; null like the requests
   */
  public static PublisherAdapter ofMono(
      @Nullable ReactiveRequests requests, @Nullable ReactiveResponses responses) {
    return new PublisherAdapter(false, requests, responses);
  }

  /** Returns the adapter of methods that return a {@code Flux}; see {@link #ofMono}. */
  public static PublisherAdapter ofFlux(
      @Nullable ReactiveRequests requests, @Nullable ReactiveResponses responses) {
    return new PublisherAdapter(true, requests, responses);
  }

  @Override
  public boolean accepts(Class<?> returnType) {
    return returnType == (flux ? Flux.class : Mono.class);
  }

  @Override
  public Object adapt(CallPlan plan, Call call) {
    return flux
        ? Flux.deferContextual(
            context ->
                subscribed(plan, call, context)
                    .flatMapMany(
                        current -> decide(plan, current).flatMapMany(r -> run(plan, current, r))))
        : Mono.deferContextual(
            context ->
                subscribed(plan, call, context)
                    .flatMap(
                        current ->
                            decide(plan, current)
                                .flatMap(result -> Mono.from(run(plan, current, result)))));
  }

  /** Returns the call with the request of the subscriber. */
  private Mono<Call> subscribed(CallPlan plan, Call call, ContextView context) {
    ReactiveRequests describer = requests;
    ServerWebExchange exchange =
        describer == null ? null : ServerWebExchangeContextFilter.getExchange(context).orElse(null);
    if (describer == null || exchange == null) {
      return Mono.just(call);
    }
    return plan.needsRequest()
        ? describer
            .describe(exchange)
            .map(request -> new ExchangeCall(call, exchange, request, this::headers))
        : Mono.just(new ExchangeCall(call, exchange, RequestContext.EMPTY, this::headers));
  }

  private void headers(ServerWebExchange exchange, RateLimitResult result, boolean fallback) {
    if (responses != null) {
      responses.addHeaders(exchange, result, !fallback);
    }
  }

  private static Mono<RateLimitResult> decide(CallPlan plan, Call call) {
    return Mono.fromFuture(() -> plan.decide(call).toCompletableFuture());
  }

  /** Runs the method or its fallback; what they throw becomes the error signal. */
  private static Publisher<Object> run(CallPlan plan, Call call, RateLimitResult result) {
    try {
      @SuppressWarnings("unchecked") // accepts() saw that the method returns a publisher
      Publisher<Object> publisher = (Publisher<Object>) plan.complete(call, result);
      return publisher == null ? Mono.empty() : publisher;
    } catch (Throwable failure) {
      return Mono.error(failure);
    }
  }
}
