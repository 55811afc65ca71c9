package dev.redline.client;

import dev.redline.client.internal.RemoteServer;
import dev.redline.core.DecisionPoint;
import dev.redline.core.EngineSettings;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.settings.Settings;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Has a Redline server decide, over HTTP.
 *
 * <pre>{@code
 * try (HttpRateLimitHandler limits =
 *     HttpRateLimitHandler.start(RemoteSettings.of("http://redline:8080"))) {
 *   limits.handleAndWait(LimitCheck.ofRule("per-user", List.of("alice"), 1)).orThrow();
 * }
 * }</pre>
 *
 * <p>Checks that arrive while calls are in flight share the next one. A check is sent at most once.
 * A circuit breaker ends calls of a server that fails; then, and when a call fails, the failure
 * strategy decides. Such results are {@linkplain RateLimitResult#degraded degraded}. The strategy
 * {@code LOCAL} decides by the {@linkplain Builder#rules rules} that are known here.
 *
 * <p>Thread-safe. Continuations run on threads that are for them alone, or on the caller's thread.
 */
public final class HttpRateLimitHandler implements RateLimitHandler, AutoCloseable {
  private final RemoteServer server;
  private final CircuitBreakingStore guarded;
  private final LocalStore fallback = new LocalStore();
  private final RateLimitEngine engine;

  private HttpRateLimitHandler(Builder builder) {
    this.server = new RemoteServer(builder.remote);
    try {
      this.guarded =
          new CircuitBreakingStore(server, builder.circuitBreaker, server.commandTimeout());
      DecisionPoint point = guarded.guard(server);
      RateLimitEngine.Builder parts =
          RateLimitEngine.builder(guarded)
              .fallback(fallback)
              .decisionPoint(point)
              .settings(builder.settings)
              .metrics(builder.metrics);
      if (builder.rules != null) {
        parts.book(builder.rules);
      }
      this.engine = parts.build();
    } catch (RuntimeException e) {
      server.close();
      fallback.close();
      throw e;
    }
  }

  /** Starts a handler with default settings; see {@link Builder#start}. */
  public static HttpRateLimitHandler start(RemoteSettings remote) {
    return builder(remote).start();
  }

  /** Returns a builder. */
  public static Builder builder(RemoteSettings remote) {
    return new Builder(remote);
  }

  @Override
  public CompletionStage<RateLimitResult> handle(LimitCheck check) {
    return engine.handle(check);
  }

  @Override
  public RateLimitResult handleAndWait(LimitCheck check) throws InterruptedException {
    return engine.handleAndWait(check);
  }

  /**
   * Returns the engine by which the server decides, for further ways to check: {@code allow},
   * {@code plan}, dry runs. Its rules decide while the server fails, and can be replaced.
   */
  public RateLimitEngine engine() {
    return engine;
  }

  /** Returns the state of the circuit breaker. */
  public BreakerState breakerState() {
    return guarded.state();
  }

  /**
   * Ends the calls in progress, and its threads. Those of the JDK's HTTP client end when it is
   * garbage-collected. The failure strategy decides the checks that the server has not decided.
   */
  @Override
  public void close() {
    engine.close();
    server.close();
    fallback.close();
  }

  /** Builds a handler. */
  public static final class Builder {
    private final RemoteSettings remote;
    private EngineSettings settings = EngineSettings.DEFAULT;
    private Settings.CircuitBreaker circuitBreaker = Settings.parse(Map.of()).circuitBreaker();
    private MetricsExporter metrics = MetricsExporter.NONE;
    private @Nullable RuleBook rules;

    private Builder(RemoteSettings remote) {
      this.remote = remote;
    }

    /** Sets the failure strategy, the share of each limit under LOCAL, and other defaults. */
    public Builder settings(EngineSettings value) {
      settings = value;
      return this;
    }

    /** Sets when the circuit breaker opens, and how it closes again. */
    public Builder circuitBreaker(Settings.CircuitBreaker value) {
      circuitBreaker = value;
      return this;
    }

    /** Sets the rules by which LOCAL decides while the server fails. */
    public Builder rules(RuleBook value) {
      rules = value;
      return this;
    }

    /** Sets what records decisions. */
    public Builder metrics(MetricsExporter value) {
      metrics = value;
      return this;
    }

    /**
     * Starts the handler, and does not wait until it is connected: it connects in the background,
     * by a dry run.
     */
    public HttpRateLimitHandler start() {
      HttpRateLimitHandler handler = new HttpRateLimitHandler(this);
      CompletableFuture<Void> unused = handler.server.connect();
      return handler;
    }
  }
}
