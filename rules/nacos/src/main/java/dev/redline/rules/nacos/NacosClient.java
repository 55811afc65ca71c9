package dev.redline.rules.nacos;

import dev.redline.core.internal.client.BoundedHttpClient;
import dev.redline.core.internal.client.BoundedHttpClient.Response;
import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.internal.json.JsonParser;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP API of Nacos (v1), as far as a reader of one document needs it. Credentials are sent in
 * a body or header field, never in a URL, which servers write to their logs. Thread-safe.
 *
 * <p>It is used instead of Nacos's own client, which returns its copy on disk while the server is
 * down and never reports the failure.
 */
final class NacosClient {
  /** Nacos holds a long poll for at least 10 seconds; it answers half a second before this time. */
  private static final Duration HOLD = Duration.ofMillis(10_500);

  private static final int MAX_BYTES = 32 << 20;
  private static final int SHOWN_CHARACTERS = 200;
  private static final char FIELD = 2;
  private static final char LINE = 1;

  private final NacosSettings settings;
  private final BoundedHttpClient http;

  /** Which server is used: the one that answered last. */
  private volatile int server;

  private volatile @Nullable Token token;

  /** An access token, and when it should be renewed, by the clock of {@link System#nanoTime}. */
  private record Token(String value, long renewAtNanos) {
    boolean isCurrent() {
      return renewAtNanos - System.nanoTime() > 0;
    }
  }

  NacosClient(NacosSettings settings) {
    this.settings = settings;
    this.http = new BoundedHttpClient(settings.timeout(), MAX_BYTES);
  }

  private String url() {
    return settings.servers().get(server % settings.servers().size());
  }

  /** The namespace as the API names it: the default one has no name. */
  private String tenant() {
    return settings.namespace().equals("public") ? "" : settings.namespace();
  }

  /** Returns the response with the document, if there is one. */
  Optional<Response> read() throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return readHere();
      } catch (AccessDeniedException e) {
        throw e;
      } catch (IOException e) {
        server = (server + 1) % settings.servers().size();
        if (attempt >= settings.servers().size()) {
          throw e;
        }
      }
    }
  }

  private Optional<Response> readHere() throws IOException, InterruptedException {
    Response response = get();
    if (isDenied(response) && settings.login().isPresent()) {
      // The token has expired or was revoked before its time.
      token = null;
      response = get();
    }
    return switch (response.status()) {
      case 200 -> Optional.of(response);
      case 404 -> Optional.empty();
      default -> throw unexpected(response);
    };
  }

  private Response get() throws IOException, InterruptedException {
    Map<String, String> parameters =
        Map.of("dataId", settings.dataId(), "group", settings.group(), "tenant", tenant());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url() + "/v1/cs/configs?" + form(parameters)));
    authorize(request);
    return send(request.build());
  }

  /** Returns the digest of a document as Nacos computes it, which a long poll has to name. */
  static String md5(Response document) {
    return document.headers().firstValue("Content-MD5").orElseGet(() -> Md5.hex(document.body()));
  }

  /**
   * Asks Nacos to answer when the document is not, or no longer, the one with this digest.
   *
   * @param md5 the digest; empty if there was no document
   * @return completes with the response, or with a failure
   */
  CompletableFuture<Response> listen(String md5) throws IOException, InterruptedException {
    String listening =
        settings.dataId() + FIELD + settings.group() + FIELD + md5 + FIELD + tenant() + LINE;
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url() + "/v1/cs/configs/listener"))
            .header("Long-Pulling-Timeout", Long.toString(HOLD.toMillis()))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form(Map.of("Listening-Configs", listening))));
    authorize(request);
    return http.sendAsync(request.build(), HOLD.plus(settings.timeout()));
  }

  /** Checks the answer to a long poll; a changed document is not part of it. */
  void checkListened(Response response) throws IOException {
    if (response.status() != 200) {
      token = null;
      throw unexpected(response);
    }
  }

  private void authorize(HttpRequest.Builder request) throws IOException, InterruptedException {
    if (settings.login().isPresent()) {
      request.header("Authorization", "Bearer " + token(settings.login().get()));
    }
  }

  private String token(NacosSettings.Login login) throws IOException, InterruptedException {
    Token known = token;
    if (known != null && known.isCurrent()) {
      return known.value();
    }
    String body = form(Map.of("username", login.username(), "password", login.password()));
    long before = System.nanoTime();
    Response response =
        send(
            HttpRequest.newBuilder(URI.create(url() + "/v1/auth/users/login"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body))
                .build());
    if (response.status() != 200) {
      String reason = response.status() + ": " + start(response);
      throw isDenied(response)
          ? new AccessDeniedException(
              "login of user " + login.username() + " denied (" + reason + ")")
          : new IOException("login failed: " + url() + " answered " + reason);
    }
    try {
      Map<String, Object> answer =
          JsonParser.object(new String(response.body(), StandardCharsets.UTF_8));
      String value =
          JsonParser.string(answer, "accessToken")
              // One that no header field can hold is rejected here, since the client shows it.
              .map(ServerAddress::checkedToken)
              .orElseThrow(() -> new IllegalArgumentException("there is no accessToken"));
      double ttlSeconds = JsonParser.number(answer, "tokenTtl").orElse(0.0);
      // Renewed after nine tenths of its time; one that ends earlier is noticed by a 403.
      long ttlNanos = (long) (Math.min(ttlSeconds, 1e9) * 0.9 * TimeUnit.SECONDS.toNanos(1));
      token = new Token(value, before + ttlNanos);
      return value;
    } catch (IllegalArgumentException e) {
      throw new IOException("login failed: the answer is not that of Nacos: " + e.getMessage(), e);
    }
  }

  private Response send(HttpRequest request) throws IOException, InterruptedException {
    try {
      return http.send(request, settings.timeout());
    } catch (IOException e) {
      String what =
          e.getCause() instanceof ProtocolException ? "sent no valid response" : "does not answer";
      throw new IOException(url() + " " + what + ": " + e.getMessage(), e);
    }
  }

  private static boolean isDenied(Response response) {
    return response.status() == 401 || response.status() == 403;
  }

  private IOException unexpected(Response response) {
    String answered = url() + " answered " + response.status() + ": " + start(response);
    return isDenied(response)
        ? new AccessDeniedException(
            "access denied ("
                + response.status()
                + "); the user of rl.nacos.username may not read the document")
        : new IOException(answered);
  }

  private static String start(Response response) {
    String text = new String(response.body(), StandardCharsets.UTF_8).strip().replace('\n', ' ');
    return text.substring(0, Math.min(text.length(), SHOWN_CHARACTERS));
  }

  private static String form(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(
            entry ->
                entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  /** Thrown if Nacos knows the request and denies it; another server would deny it, too. */
  static final class AccessDeniedException extends IOException {
    private static final long serialVersionUID = 1L;

    AccessDeniedException(String message) {
      super(message);
    }
  }
}
