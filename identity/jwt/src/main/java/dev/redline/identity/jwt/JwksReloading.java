package dev.redline.identity.jwt;

import dev.redline.core.internal.token.JwtSettings.JwksLocation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the keys of a JWK set current. One thread reads the set at intervals, and soon after a
 * token named a key that is not in it; the last good set stays in force. Thread-safe.
 */
final class JwksReloading implements AutoCloseable {
  private static final Logger LOG = System.getLogger(JwksReloading.class.getName());
  private static final int MAX_BYTES = 1 << 20;

  /**
   * How often the set is read.
   *
   * @param interval between two readings of a URL
   * @param retry between two readings of a file, or while none has succeeded
   * @param unknownKey at least between two readings for the sake of an unknown key
   * @param timeout of one reading over HTTP, and of the first one at the start
   */
  record Timing(Duration interval, Duration retry, Duration unknownKey, Duration timeout) {
    static final Timing STANDARD =
        new Timing(
            Duration.ofMinutes(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(2));
  }

  /** The keys, and how often they have changed. */
  private record Current(JwkKeys keys, int version, @Nullable String text) {}

  private final JwksLocation location;
  private final Timing timing;
  private final ScheduledExecutorService thread;
  private final HttpClient http;
  private final AtomicLong nextForUnknownKey = new AtomicLong(System.nanoTime());
  private volatile Current current = new Current(JwkKeys.NONE, 0, null);
  private boolean failing;

  private JwksReloading(JwksLocation location, Timing timing) {
    this.location = location;
    this.timing = timing;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread created = new Thread(task, "redline-jwks");
              created.setDaemon(true);
              return created;
            });
    this.http =
        HttpClient.newBuilder()
            .connectTimeout(timing.timeout())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /** Starts, and waits for the first set at most as long as one reading may take. */
  static JwksReloading start(JwksLocation location, Timing timing) {
    JwksReloading reloading = new JwksReloading(location, timing);
    try {
      reloading
          .thread
          .submit(reloading::reload)
          .get(timing.timeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.log(Level.DEBUG, "the first JWK set is not there yet", e);
    }
    reloading.scheduleNext();
    return reloading;
  }

  JwkKeys keys() {
    return current.keys();
  }

  /** Returns a number that changes with the keys. */
  int version() {
    return current.version();
  }

  /** Reads the set soon, unless that was done a short while ago. */
  void reloadSoon() {
    long now = System.nanoTime();
    long next = nextForUnknownKey.get();
    if (now - next >= 0
        && nextForUnknownKey.compareAndSet(next, now + timing.unknownKey().toNanos())) {
      try {
        thread.execute(this::reload);
      } catch (RejectedExecutionException e) {
        LOG.log(Level.DEBUG, "closed", e);
      }
    }
  }

  private void scheduleNext() {
    boolean often = current.text() == null || location instanceof JwksLocation.File;
    Duration pause = often ? timing.retry() : timing.interval();
    try {
      var unused =
          thread.schedule(
              () -> {
                reload();
                scheduleNext();
              },
              pause.toMillis(),
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "closed", e);
    }
  }

  private void reload() {
    try {
      String text = read();
      if (!text.equals(current.text())) {
        JwkKeys keys = JwkKeys.parse(text);
        warnOfUnreadable(keys);
        current = new Current(keys, current.version() + 1, text);
        if (keys.size() == 0) {
          LOG.log(Level.WARNING, "the JWK set {0} has no key that can be used", name());
        }
      }
      failing = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | ParseException | RuntimeException e) {
      if (!failing) {
        failing = true;
        LOG.log(
            Level.WARNING,
            "the JWK set {0} cannot be read ({1}); {2}",
            name(),
            e.toString(),
            current.text() == null
                ? "no JWT is valid until it can"
                : "the last one stays in force");
      }
    }
  }

  /** Logs the positions of keys that are ignored, once while they stay the same. */
  private void warnOfUnreadable(JwkKeys keys) {
    List<Integer> positions = keys.unreadable();
    if (!positions.isEmpty() && !positions.equals(current.keys().unreadable())) {
      LOG.log(
          Level.WARNING,
          "the JWK set {0} has {1} that cannot be read; the position of the first is {2}",
          name(),
          positions.size() == 1 ? "a key" : positions.size() + " keys",
          positions.get(0));
    }
  }

  private String name() {
    // No query and no user information: they may be secret.
    return location instanceof JwksLocation.Url url
        ? url.uri().getScheme() + "://" + url.uri().getHost() + url.uri().getPath()
        : ((JwksLocation.File) location).path().toString();
  }

  private String read() throws IOException, InterruptedException {
    if (location instanceof JwksLocation.File file) {
      try (InputStream in = Files.newInputStream(file.path())) {
        return text(in);
      }
    }
    return fetch(((JwksLocation.Url) location).uri());
  }

  /** Bounds the whole response, in time and in bytes. */
  private String fetch(URI uri) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri).header("Accept", "application/json").build();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    CompletableFuture<HttpResponse<Void>> response =
        http.sendAsync(
            request,
            BodyHandlers.ofByteArrayConsumer(chunk -> chunk.ifPresent(bytes -> add(body, bytes))));
    try {
      int status = response.get(timing.timeout().toMillis(), TimeUnit.MILLISECONDS).statusCode();
      if (status != 200) {
        throw new IOException("status " + status);
      }
      return body.toString(StandardCharsets.UTF_8);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      response.cancel(true);
      throw new IOException("no response within " + timing.timeout().toMillis() + " ms", e);
    }
  }

  private static void add(ByteArrayOutputStream body, byte[] bytes) {
    if (body.size() + bytes.length > MAX_BYTES) {
      throw new IllegalStateException("more than " + MAX_BYTES + " bytes");
    }
    body.writeBytes(bytes);
  }

  private static String text(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new IOException("more than " + MAX_BYTES + " bytes");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
