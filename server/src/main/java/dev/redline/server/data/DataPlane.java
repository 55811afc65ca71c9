package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.server.access.CallerAuthenticator;
import dev.redline.server.access.CallerLimit;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.data.Route.Accepts;
import dev.redline.server.data.Route.Access;
import dev.redline.server.data.connection.ConnectionGuard;
import dev.redline.server.data.connection.Connections;
import dev.redline.server.logging.DenialLog;
import dev.redline.server.rules.RulesPage;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
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
  private static final Logger LOG = System.getLogger(DataPlane.class.getName());
  private static final int MAX_HEADER_BYTES = 32 << 10;
  private static final int MAX_STREAMS = 100;
  private static final int MAX_EXPLANATIONS = 100;
  private static final Duration MAX_EXPLANATION_WAIT = Duration.ofSeconds(10);

  /** How many bytes of large bodies may wait for each event loop: about half a second of work. */
  private static final long MAX_LARGE_BYTES = 8 << 20;

  private static final Duration MAX_LARGE_BODY_WAIT = Duration.ofSeconds(1);
  private static final long TLS_RELOAD_MILLIS = 500;

  /** How long the port stays open after draining began, for connections on their way. */
  private static final Duration ACCEPT_WHILE_DRAINING = Duration.ofMillis(250);

  private static final long DRAIN_CHECK_MILLIS = 5;
  private static final long CLOSE_SECONDS = 5;

  private final DataPlaneSettings settings;
  private final RateLimitEngine engine;
  private final RequestTimers timers;
  private final UserTokens tokens;
  private final CheckReader reader;
  private final RulesEndpoint rules;
  private final DenialLog denials;
  private final Drain drain;
  private final int loops = Runtime.getRuntime().availableProcessors();

  /** The threads for explanations, and as many for large bodies. */
  private final int longThreads = Math.max(1, loops / 2);

  private final Connections connections;
  private final CallerAuthenticator callers;
  private final CallerLimit callerLimit;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
  private @Nullable Vertx vertx;

  /** Creates the data plane; it listens when started. */
  public DataPlane(
      DataPlaneSettings settings,
      RateLimitEngine engine,
      MeterRegistry registry,
      InlineLimitReader inlineLimits,
      CallerAuthenticator callers,
      CallerLimit callerLimit,
      UserTokens tokens,
      TokenAuthenticator authenticator,
      RulesPage.Maker pages,
      DenialLog denials) {
    this.settings = settings;
    this.engine = engine;
    this.timers = new RequestTimers(registry);
    this.tokens = tokens;
    this.reader = new CheckReader(settings.inlineLimits() ? inlineLimits : null, tokens);
    this.rules = new RulesEndpoint(authenticator, pages);
    this.denials = denials;
    this.drain = new Drain(settings.drainTimeout());
    this.connections = new Connections(settings.connections());
    this.callers = callers;
    this.callerLimit = callerLimit;
    if (callerLimit.isSet()) {
      FunctionCounter.builder("ratelimit.callers.limited", callerLimit, CallerLimit::denied)
          .description("requests of callers that exceed rl.server.caller-limit")
          .register(registry);
    }
    timers.preregister("POST", "/v1/check", 200);
    timers.preregister("POST", "/v1/check", 429);
  }

  /**
   * Opens the port; returns when it accepts requests.
   *
   * @throws IOException if the port cannot be bound
   * @throws InvalidTlsFilesException if TLS is configured with files that cannot be used
   */
  public void start() throws IOException, InvalidTlsFilesException {
    Vertx started =
        Vertx.builder()
            .withTransport(connections.transport())
            .with(
                new VertxOptions()
                    .setEventLoopPoolSize(loops)
                    .setFileSystemOptions(
                        new FileSystemOptions()
                            .setFileCachingEnabled(false)
                            .setClassPathResolvingEnabled(false)))
            .build();
    vertx = started;
    try {
      TlsFiles tls = settings.tls().map(files -> new TlsFiles(files, started)).orElse(null);
      ServerSSLOptions certificate = tls == null ? null : tls.load();
      LongTasks explaining =
          new LongTasks(
              started, "redline-explain", longThreads, MAX_EXPLANATIONS, MAX_EXPLANATION_WAIT);
      started
          .deployVerticle(
              () -> new Listener(certificate, explaining),
              new DeploymentOptions().setInstances(loops))
          .toCompletionStage()
          .toCompletableFuture()
          .get();
      if (tls != null) {
        reloadWhenChanged(tls, started);
      }
    } catch (InvalidTlsFilesException e) {
      started.close();
      throw e;
    } catch (ExecutionException e) {
      started.close();
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting to listen", e);
    }
  }

  /** Looks at the files on a worker thread; new connections use the new certificate. */
  private void reloadWhenChanged(TlsFiles tls, Vertx running) {
    running.setTimer(
        TLS_RELOAD_MILLIS,
        timer ->
            running
                .executeBlocking(tls::loadIfChanged)
                .compose(
                    changed ->
                        changed.isPresent()
                            ? servers.get(0).updateSSLOptions(changed.get(), true)
                            : Future.succeededFuture(false))
                .onFailure(
                    e -> LOG.log(Level.WARNING, "the changed TLS files could not be used", e))
                .onComplete(done -> reloadWhenChanged(tls, running)));
  }

  /** Returns the port. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /**
   * Stops gracefully. For a moment the port stays open, and clients are asked to use other
   * connections. Then the port closes, requests whose head was received are answered within the
   * drain timeout, and each connection is closed after its last response.
   */
  public void stop() {
    if (drain.hasBegun()) {
      return;
    }
    long deadline = System.nanoTime() + settings.drainTimeout().toNanos();
    drain.begin();
    connections.beginDrain();
    try {
      sleep(Math.min(ACCEPT_WHILE_DRAINING.toMillis(), settings.drainTimeout().toMillis()));
      connections.stopAccepting();
      while (connections.count() > 0 && System.nanoTime() - deadline < 0) {
        sleep(DRAIN_CHECK_MILLIS);
      }
      if (vertx != null) {
        await(vertx.close(), TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void sleep(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  private static void await(Future<?> future, long millis) throws InterruptedException {
    try {
      future.toCompletionStage().toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.WARNING, "closing the data plane failed or timed out", e);
    }
  }

  private List<Route> routes(LongTasks explaining, LongTasks largeBodies) {
    return List.of(
        new Route(
            "/v1/check",
            Accepts.JSON,
            new CheckEndpoint(engine, reader, settings.http(), largeBodies)),
        new Route("/v1/check/batch", Accepts.JSON, new BatchEndpoint(engine, reader, largeBodies)),
        new Route("/v1/rules", Accepts.GET, rules, Access.OWN),
        new Route("/v1/openapi.json", Accepts.GET, new OpenApiEndpoint()),
        new Route(
            "/v1/explain",
            Accepts.JSON,
            new ExplainEndpoint(engine, reader, explaining, largeBodies)),
        new Route(
            "/v1/forward-auth",
            Accepts.ANY_METHOD,
            new ForwardAuthEndpoint(
                engine, settings.http(), settings.proxies(), settings.apiKeyHeader(), tokens)));
  }

  /** The HTTP server of one event loop; all of them listen on the same port. */
  private final class Listener extends VerticleBase {
    private final @Nullable ServerSSLOptions tls;
    private final LongTasks explaining;

    Listener(@Nullable ServerSSLOptions tls, LongTasks explaining) {
      this.tls = tls;
      this.explaining = explaining;
    }

    @Override
    public Future<?> start() {
      long maxBytes = Math.max(2 * JsonBody.MAX_BYTES, settings.maxBytes() / loops);
      Admission admission = new Admission(Math.max(1, settings.maxRequests() / loops), maxBytes);
      // They cannot give way while they wait, so the other half is for small bodies.
      LongTasks largeBodies =
          new LongTasks(
              vertx,
              "redline-large-bodies",
              longThreads,
              Math.min(MAX_LARGE_BYTES, maxBytes / 2),
              MAX_LARGE_BODY_WAIT);
      EventLoopState loop =
          new EventLoopState(
              context,
              timers,
              admission,
              drain,
              settings.bodyTimeout(),
              settings.connections().writeTimeout(),
              denials);
      Router router = new Router(routes(explaining, largeBodies), callers, callerLimit, loop);
      HttpServer server =
          vertx
              .createHttpServer(options())
              .connectionHandler(
                  connection -> ConnectionGuard.of(connection).established(connection))
              .requestHandler(router)
              .invalidRequestHandler(router::handleInvalid);
      servers.add(server);
      return server.listen();
    }

    private HttpServerOptions options() {
      HttpServerOptions options =
          new HttpServerOptions()
              .setHost(settings.host())
              // In Vert.x a negative port means any free one, the same for all event loops.
              .setPort(settings.port() == 0 ? -1 : settings.port())
              .setAcceptBacklog(1024)
              .setMaxHeaderSize(MAX_HEADER_BYTES)
              .setInitialSettings(
                  new Http2Settings()
                      .setMaxConcurrentStreams(MAX_STREAMS)
                      .setMaxHeaderListSize(MAX_HEADER_BYTES))
              // Either would add a handler that sees every message; there are no WebSockets here.
              .setPerFrameWebSocketCompressionSupported(false)
              .setPerMessageWebSocketCompressionSupported(false)
              .setStrictThreadMode(true);
      if (tls != null) {
        options
            .setSsl(true)
            .setUseAlpn(true)
            .setSslHandshakeTimeout(settings.connections().headTimeout().toMillis())
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setKeyCertOptions(tls.getKeyCertOptions())
            .setTrustOptions(tls.getTrustOptions())
            .setClientAuth(tls.getClientAuth());
      }
      return options;
    }
  }
}
