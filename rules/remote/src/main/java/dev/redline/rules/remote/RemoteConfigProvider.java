package dev.redline.rules.remote;

import dev.redline.core.internal.client.BoundedHttpClient;
import dev.redline.core.internal.client.BoundedHttpClient.Response;
import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force on a Redline server: {@code GET /v1/rules}.
 *
 * <p>Changes are noticed by conditional requests, which the server answers with 304 while its
 * {@code ETag} is the same. The version is a digest of the document. Thread-safe.
 */
public final class RemoteConfigProvider implements ConfigProvider {
  private static final String PATH = "/v1/rules";
  private static final int MAX_BYTES = 32 << 20;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

  /** How often a change is looked for: other nodes have it within a second. */
  private static final Duration PAUSE = Duration.ofMillis(400);

  private static final int SHOWN_CHARACTERS = 200;
  private static final String NO_RULES = "no rules were loaded";

  private final ServerAddress server;
  private final BoundedHttpClient client = new BoundedHttpClient(CONNECT_TIMEOUT, MAX_BYTES);
  private volatile @Nullable Known known;

  /** What was loaded last, and the tag by which the server knows it. */
  private record Known(String tag, Snapshot snapshot) {}

  /** Creates a source; nothing is connected yet. */
  public RemoteConfigProvider(ServerAddress server) {
    this.server = server;
  }

  @Override
  public String name() {
    return "Redline server " + server.uri();
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    Known before = known;
    Response response;
    try {
      response = get(before);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException(name() + ": interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
    if (before != null && isUnchanged(response)) {
      return Optional.of(before.snapshot);
    }
    if (response.status() == 503 && start(response.body()).contains(NO_RULES)) {
      return Optional.empty();
    }
    check(response);
    Snapshot snapshot =
        new Snapshot(
            Sha256.hex(response.body()),
            List.of(new Document(server.uri() + PATH, text(response.body()))));
    known = response.headers().firstValue("ETag").map(tag -> new Known(tag, snapshot)).orElse(null);
    return Optional.of(snapshot);
  }

  /** Looks for another tag again and again; without a tag there is nothing to compare. */
  @Override
  public void awaitChange(Duration atMost) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    Known last = known;
    while (true) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      TimeUnit.NANOSECONDS.sleep(last == null ? left : Math.min(left, PAUSE.toNanos()));
      if (last != null && deadline - System.nanoTime() > 0) {
        Response response = get(last);
        if (!isUnchanged(response)) {
          check(response);
          return;
        }
      }
    }
  }

  private Response get(@Nullable Known last) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.uri() + PATH));
    server.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    if (last != null) {
      request.header("If-None-Match", last.tag);
    }
    try {
      return client.send(request.build(), REQUEST_TIMEOUT);
    } catch (IOException e) {
      throw new IOException(name() + " does not answer: " + e.getMessage(), e);
    }
  }

  private static boolean isUnchanged(Response response) {
    return response.status() == 304;
  }

  private void check(Response response) throws IOException {
    switch (response.status()) {
      case 200 -> {}
      case 401, 403 ->
          throw new IOException(
              name()
                  + ": access denied ("
                  + response.status()
                  + "); rl.config.remote.token needs a token of rl.admin.tokens of the server");
      default ->
          throw new IOException(
              name() + ": " + PATH + " gave " + response.status() + ": " + start(response.body()));
    }
  }

  private static String start(byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8).strip();
    return text.substring(0, Math.min(text.length(), SHOWN_CHARACTERS));
  }

  private String text(byte[] content) throws IOException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      throw new IOException(name() + ": the document is not a UTF-8 text", e);
    }
  }
}
