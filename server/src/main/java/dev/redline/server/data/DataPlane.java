package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.data.Route.Accepts;
import dev.redline.server.rules.RulesPage;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server of the data plane (port 8080), with one event loop per core.
 *
 * <p>Started and stopped once, by one thread.
 */
public final class DataPlane {
  private static final int IDLE_SECONDS = 90;
  private static final int MAX_HEADER_BYTES = 32 << 10;

  /** How long the port stays open after draining began, for connections on their way. */
  private static final Duration ACCEPT_WHILE_DRAINING = Duration.ofMillis(250);

  private static final long CLOSE_SECONDS = 5;

  private final DataPlaneSettings settings;
  private final RateLimitEngine engine;
  private final RequestTimers timers;
  private final CheckReader reader;
  private final RulesEndpoint rules;
  private final Drain drain;
  private final int loops = Runtime.getRuntime().availableProcessors();
  private final ConnectionLimit connections;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
  private @Nullable Vertx vertx;

  /** Creates the data plane; it listens when started. */
  public DataPlane(
      DataPlaneSettings settings,
      RateLimitEngine engine,
      MeterRegistry registry,
      InlineLimitReader inlineLimits,
      TokenAuthenticator authenticator,
      RulesPage.Maker pages) {
    this.settings = settings;
    this.engine = engine;
    this.timers = new RequestTimers(registry);
    this.reader = new CheckReader(settings.inlineLimits() ? inlineLimits : null);
    this.rules = new RulesEndpoint(authenticator, pages);
    this.drain = new Drain(settings.drainTimeout());
    this.connections = new ConnectionLimit(settings.maxConnections());
    timers.preregister("POST", "/v1/check", 200);
    timers.preregister("POST", "/v1/check", 429);
  }

  /**
   * Opens the port; returns when it accepts requests.
   *
   * @throws IOException if the port cannot be bound
   */
  public void start() throws IOException {
    Vertx started =
        Vertx.vertx(
            new VertxOptions()
                .setEventLoopPoolSize(loops)
                .setPreferNativeTransport(true)
                .setFileSystemOptions(
                    new FileSystemOptions()
                        .setFileCachingEnabled(false)
                        .setClassPathResolvingEnabled(false)));
    vertx = started;
    try {
      started
          .deployVerticle(Listener::new, new DeploymentOptions().setInstances(loops))
          .toCompletionStage()
          .toCompletableFuture()
          .get();
    } catch (ExecutionException e) {
      started.close();
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting to listen", e);
    }
  }

  /** Returns the port. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /**
   * Stops gracefully. For a moment the port stays open and every response carries {@code
   * Connection: close}; then the port closes, and requests whose head was received are answered
   * within the drain timeout.
   */
  public void stop() {
    drain.begin();
    try {
      Duration accepting =
          ACCEPT_WHILE_DRAINING.compareTo(settings.drainTimeout()) < 0
              ? ACCEPT_WHILE_DRAINING
              : settings.drainTimeout();
      TimeUnit.MILLISECONDS.sleep(accepting.toMillis());
      long rest = settings.drainTimeout().minus(accepting).toMillis();
      List<Future<Void>> closing = new ArrayList<>();
      servers.forEach(server -> closing.add(server.shutdown(rest, TimeUnit.MILLISECONDS)));
      await(Future.join(closing), rest + TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
      if (vertx != null) {
        await(vertx.close(), TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void await(Future<?> future, long millis) throws InterruptedException {
    try {
      future.toCompletionStage().toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      System.getLogger(DataPlane.class.getName())
          .log(System.Logger.Level.WARNING, "closing the data plane failed or timed out", e);
    }
  }

  private List<Route> routes() {
    return List.of(
        new Route("/v1/check", Accepts.JSON, new CheckEndpoint(engine, reader, settings.http())),
        new Route("/v1/check/batch", Accepts.JSON, new BatchEndpoint(engine, reader)),
        new Route("/v1/rules", Accepts.GET, rules),
        new Route("/v1/explain", Accepts.JSON, new ExplainEndpoint(engine, reader)),
        new Route(
            "/v1/forward-auth",
            Accepts.ANY_METHOD,
            new ForwardAuthEndpoint(
                engine, settings.http(), settings.proxies(), settings.apiKeyHeader())));
  }

  /** The HTTP server of one event loop; all of them listen on the same port. */
  private final class Listener extends VerticleBase {
    @Override
    public Future<?> start() {
      Admission admission =
          new Admission(
              Math.max(1, settings.mostRequests() / loops),
              Math.max(JsonBody.MAX_BYTES, settings.mostBytes() / loops));
      BodyDeadlines deadlines = new BodyDeadlines(settings.bodyTimeout());
      vertx.setPeriodic(
          Math.max(1, deadlines.interval().toMillis()),
          timer -> deadlines.expire(System.nanoTime()));
      Router router =
          new Router(routes(), new EventLoopState(context, timers, admission, drain, deadlines));
      HttpServer server =
          vertx
              .createHttpServer(options())
              .connectionHandler(connections::accept)
              .requestHandler(router)
              .invalidRequestHandler(router::handleInvalid);
      servers.add(server);
      return server.listen();
    }

    private HttpServerOptions options() {
      return new HttpServerOptions()
          .setHost(settings.host())
          // In Vert.x a negative port means any free one, the same for all event loops.
          .setPort(settings.port() == 0 ? -1 : settings.port())
          .setAcceptBacklog(1024)
          .setIdleTimeout(IDLE_SECONDS)
          .setMaxHeaderSize(MAX_HEADER_BYTES)
          .setHttp2ClearTextEnabled(false)
          .setStrictThreadMode(true);
    }
  }
}
