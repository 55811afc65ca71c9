package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.data.Route.Takes;
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
 * The port that decides: an HTTP server with one event loop per core.
 *
 * <p>Started and stopped once, by one thread.
 */
public final class DataPlane {
  private static final int IDLE_SECONDS = 90;
  private static final int MOST_HEADER_BYTES = 32 << 10;
  private static final Duration LAST_CALL = Duration.ofMillis(250);
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
      TokenAuthenticator gate,
      RulesPage.Maker pages) {
    this.settings = settings;
    this.engine = engine;
    this.timers = new RequestTimers(registry);
    this.reader = new CheckReader(settings.inlineLimits() ? inlineLimits : null);
    this.rules = new RulesEndpoint(gate, pages);
    this.drain = new Drain(settings.drainTimeout());
    this.connections = new ConnectionLimit(settings.maxConnections());
    timers.expect("POST", "/v1/check", 200);
    timers.expect("POST", "/v1/check", 429);
  }

  /**
   * Listens; returns when requests are answered.
   *
   * @throws IOException if the port cannot be had
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

  /** Returns the port that is listened on. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /**
   * Stops: for a moment every answer says that it is the last on its connection, then nobody
   * listens, and requests whose head was received have the drain timeout to be answered.
   */
  public void stop() {
    drain.begin();
    try {
      Duration lastCall =
          LAST_CALL.compareTo(settings.drainTimeout()) < 0 ? LAST_CALL : settings.drainTimeout();
      TimeUnit.MILLISECONDS.sleep(lastCall.toMillis());
      long rest = settings.drainTimeout().minus(lastCall).toMillis();
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
          .log(System.Logger.Level.WARNING, "the data plane did not close in order", e);
    }
  }

  private List<Route> routes() {
    return List.of(
        new Route("/v1/check", Takes.JSON, new CheckEndpoint(engine, reader, settings.http())),
        new Route("/v1/check/batch", Takes.JSON, new BatchEndpoint(engine, reader)),
        new Route("/v1/rules", Takes.GET, rules),
        new Route("/v1/explain", Takes.JSON, new ExplainEndpoint(engine, reader)),
        new Route(
            "/v1/forward-auth",
            Takes.ANYTHING,
            new ForwardAuthEndpoint(
                engine, settings.http(), settings.proxies(), settings.apiKeyHeader())));
  }

  /** One event loop's share of the connections. */
  private final class Listener extends VerticleBase {
    @Override
    public Future<?> start() {
      Admission admission =
          new Admission(
              Math.max(1, settings.mostRequests() / loops),
              Math.max(JsonBody.LARGEST, settings.mostBytes() / loops));
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
          // To Vert.x a negative port is any free one, the same for all event loops.
          .setPort(settings.port() == 0 ? -1 : settings.port())
          .setAcceptBacklog(1024)
          .setIdleTimeout(IDLE_SECONDS)
          .setMaxHeaderSize(MOST_HEADER_BYTES)
          .setHttp2ClearTextEnabled(false)
          .setStrictThreadMode(true);
    }
  }
}
