package dev.redline.client.internal;

import dev.redline.client.RemoteSettings;
import dev.redline.core.DecisionPoint;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.client.BoundedHttpClient;
import dev.redline.core.internal.client.BoundedHttpClient.Response;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.CallThreads;
import dev.redline.core.internal.remote.PendingCall;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A Redline server: decides checks, and is a store for its circuit breaker and its health.
 *
 * <p>Checks that arrive while calls are in flight gather, and share the next {@code POST
 * /v1/check/batch} (natural batching). A check is sent at most once; its time-out runs from when it
 * is requested. Continuations of the stages run on threads that are for them alone. Thread-safe.
 */
public final class RemoteServer implements RemoteStore, DecisionPoint {
  private static final Logger LOG = System.getLogger(RemoteServer.class.getName());

  /** How many calls are in flight at most, and how many of them do not wait for more checks. */
  private static final int MAX_CALLS = 8;

  private static final int EAGER_CALLS = 2;
  private static final int MAX_BATCH = 1000;
  private static final int MAX_QUEUED = 10_000;

  /** The server accepts 1 MiB. */
  private static final int MAX_REQUEST_BYTES = 1_000_000;

  private static final int MAX_RESPONSE_BYTES = 16 << 20;

  /** How long a call at the start may take, and how many checks it has. */
  private static final Duration START_TIMEOUT = Duration.ofSeconds(2);

  private static final int START_BATCH = 100;
  private static final int SHOWN_CHARACTERS = 200;
  private static final byte[] START = "{\"checks\":[".getBytes(StandardCharsets.UTF_8);
  private static final byte[] DRY_RUN =
      "{\"request\":{},\"dryRun\":true}".getBytes(StandardCharsets.UTF_8);
  private static final byte[] END = "]}".getBytes(StandardCharsets.UTF_8);

  private final RemoteSettings settings;
  private final String node;
  private final List<String> nodes;
  private final BoundedHttpClient client;
  private final HttpRequest.Builder request;
  private final CallReports reports = new CallReports();
  private final CallThreads<byte[], RateLimitResult> calls;
  private volatile boolean closed;
  private volatile StoreHealth health = StoreHealth.UP;

  /** Creates the client of a server; nothing is connected yet. */
  public RemoteServer(RemoteSettings settings) {
    this.settings = settings;
    this.node = URI.create(settings.uri()).getRawAuthority();
    this.nodes = List.of(node);
    this.client = client(settings);
    this.request =
        HttpRequest.newBuilder(URI.create(settings.uri() + "/v1/check/batch"))
            .header("Content-Type", "application/json");
    settings.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    this.calls =
        new CallThreads<>(
            new CallThreads.Settings(
                "redline-client",
                "the Redline server at " + node,
                MAX_CALLS,
                EAGER_CALLS,
                MAX_BATCH,
                MAX_QUEUED,
                settings.timeout()),
            new BatchCall(),
            reports);
  }

  private static BoundedHttpClient client(RemoteSettings settings) {
    boolean tls = settings.uri().startsWith("https:");
    // Each call has its own time-out; connecting at the start may take longer than a decision.
    Duration connectTimeout = startTimeout(settings);
    // TLS negotiates HTTP/2; without TLS an upgrade would cost the first call a round trip.
    return new BoundedHttpClient(
        connectTimeout,
        MAX_RESPONSE_BYTES,
        tls ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
  }

  private static Duration startTimeout(RemoteSettings settings) {
    return settings.timeout().compareTo(START_TIMEOUT) > 0 ? settings.timeout() : START_TIMEOUT;
  }

  /**
   * Connects, by a dry run whose decision is ignored: a connection takes longer than a decision
   * may, above all with TLS, so the first checks would fail. A failure is logged.
   *
   * @return completes within two seconds, and never fails
   */
  public CompletableFuture<Void> connect() {
    return client
        .sendAsync(post(List.of(DRY_RUN)), START_TIMEOUT)
        .handle(
            (response, failure) -> {
              String why = whyNotConnected(response, failure);
              if (why != null && !closed) {
                LOG.log(Level.WARNING, why + ": checks are decided without it until it responds");
              }
              return null;
            });
  }

  private @Nullable String whyNotConnected(
      @Nullable Response response, @Nullable Throwable failure) {
    if (response == null) {
      return "the Redline server at "
          + node
          + ": "
          + BoundedHttpClient.failure(new ExecutionException(failure)).getMessage();
    }
    try {
      read(response, 1);
      return null;
    } catch (StoreException e) {
      return e.getMessage();
    }
  }

  @Override
  public String type() {
    return "remote";
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public CompletionStage<RateLimitResult> decide(LimitCheck check, boolean dryRun) {
    try {
      return calls.submit(bytes(check, dryRun), false);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public RateLimitResult decideAndWait(LimitCheck check, boolean dryRun) {
    try {
      return calls.submit(bytes(check, dryRun), true).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Sends the checks as dry runs. They are not calls that the circuit breaker counts. */
  @Override
  public List<Optional<String>> rejections(List<LimitCheck> checks) {
    if (checks.isEmpty()) {
      return List.of();
    }
    List<Optional<String>> found = new ArrayList<>(checks.size());
    Duration timeout = startTimeout(settings);
    try {
      for (int from = 0; from < checks.size(); from += START_BATCH) {
        List<byte[]> batch =
            checks.subList(from, Math.min(checks.size(), from + START_BATCH)).stream()
                .map(check -> bytes(check, true))
                .toList();
        for (Object result : read(client.send(post(batch), timeout), batch.size())) {
          found.add(
              result instanceof IllegalArgumentException rejected
                  ? Optional.of(String.valueOf(rejected.getMessage()))
                  : Optional.empty());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | StoreException e) {
      LOG.log(
          Level.WARNING,
          "the Redline server at "
              + node
              + " did not say whether it takes the limits of this application, the first calls will"
              + " show it: "
              + e.getMessage());
    }
    while (found.size() < checks.size()) {
      found.add(Optional.empty());
    }
    return found;
  }

  private HttpRequest post(List<byte[]> checks) {
    return request.copy().POST(BodyPublishers.ofByteArray(body(checks))).build();
  }

  private static byte[] bytes(LimitCheck check, boolean dryRun) {
    byte[] bytes = CheckWriter.write(check, dryRun).getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_REQUEST_BYTES) {
      throw new IllegalArgumentException(
          "the check has "
              + bytes.length
              + " bytes, and a Redline server accepts "
              + MAX_REQUEST_BYTES);
    }
    return bytes;
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return CompletableFuture.failedFuture(
        new StoreException(
            StoreException.Kind.UNAVAILABLE, "a Redline server decides checks, it is no store"));
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    return nodes;
  }

  @Override
  public void observe(CallObserver observer) {
    reports.observe(observer);
  }

  @Override
  public Duration commandTimeout() {
    return settings.timeout();
  }

  /** Returns how the last call ended. */
  @Override
  public StoreHealth health() {
    return health;
  }

  /** Fails the checks that are not decided yet, and ends the calls in progress. */
  @Override
  public void close() {
    closed = true;
    calls.close();
    client.close();
  }

  /** A call of {@code POST /v1/check/batch}. */
  private final class BatchCall implements CallThreads.Call<byte[], RateLimitResult> {
    @Override
    public String node(byte[] first) {
      return node;
    }

    @Override
    public int size(byte[] check) {
      return check.length + 1;
    }

    @Override
    public int maxSize() {
      return MAX_REQUEST_BYTES;
    }

    @Override
    public Object[] run(List<PendingCall<byte[], RateLimitResult>> batch) throws Exception {
      // The last one to arrive has the most time left; the deadlines of others are watched.
      Duration left = Duration.ofNanos(Math.max(1, batch.get(batch.size() - 1).nanosLeft()));
      long start = System.nanoTime();
      Response response =
          client.send(post(batch.stream().map(PendingCall::request).toList()), left);
      Object[] results = read(response, batch.size());
      health =
          new StoreHealth(
              true,
              Optional.empty(),
              Optional.of(Duration.ofNanos(System.nanoTime() - start)),
              Map.of());
      return results;
    }

    @Override
    public StoreException failure(Exception e) {
      StoreException failure =
          e instanceof StoreException known
              ? known
              : failed(StoreException.Kind.UNAVAILABLE, String.valueOf(e.getMessage()), e);
      health = StoreHealth.down(String.valueOf(failure.getMessage()));
      return failure;
    }
  }

  private static byte[] body(List<byte[]> checks) {
    int size = START.length + END.length;
    for (byte[] check : checks) {
      size += check.length + 1;
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream(size);
    body.writeBytes(START);
    for (int i = 0; i < checks.size(); i++) {
      if (i > 0) {
        body.write(',');
      }
      body.writeBytes(checks.get(i));
    }
    body.writeBytes(END);
    return body.toByteArray();
  }

  private Object[] read(Response response, int checks) {
    String text = new String(response.body(), StandardCharsets.UTF_8);
    switch (response.status()) {
      case 200 -> {}
      case 401 ->
          throw failed(
              StoreException.Kind.UNAVAILABLE,
              "it rejects the token (401): rl.remote.token must be one of its"
                  + " rl.server.auth.tokens",
              null);
      case 503 -> throw failed(StoreException.Kind.UNAVAILABLE, "it is overloaded (503)", null);
      default ->
          throw failed(
              StoreException.Kind.BAD_RESPONSE,
              "/v1/check/batch gave "
                  + response.status()
                  + ": "
                  + text.substring(0, Math.min(text.length(), SHOWN_CHARACTERS)),
              null);
    }
    try {
      return DecisionReader.read(text, checks);
    } catch (IllegalArgumentException e) {
      throw failed(
          StoreException.Kind.BAD_RESPONSE,
          "its response has not the expected form: " + e.getMessage(),
          e);
    }
  }

  private StoreException failed(StoreException.Kind kind, String why, @Nullable Exception cause) {
    String message = "the Redline server at " + node + ": " + why;
    return cause == null
        ? new StoreException(kind, message)
        : new StoreException(kind, message, cause);
  }
}
