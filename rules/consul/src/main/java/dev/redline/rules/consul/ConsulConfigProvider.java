package dev.redline.rules.consul;

import dev.redline.core.internal.client.BoundedHttpClient;
import dev.redline.core.internal.client.BoundedHttpClient.Response;
import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.internal.json.JsonParser;
import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rule documents in the key/value store of Consul: one key, or all keys of a folder.
 *
 * <p>Changes are noticed by blocking queries: a request that Consul answers when the index of the
 * key has moved. The version is a digest of keys and values, so writing an equal value is not a
 * change. Thread-safe.
 */
public final class ConsulConfigProvider implements ConfigProvider {
  /** 32 MiB of documents, in Base64 and with the other members of each entry. */
  private static final int MAX_BYTES = 48 << 20;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

  /** Shorter than most polling intervals, so that a connection that died silently is noticed. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private static final int SHOWN_CHARACTERS = 200;
  private static final String FILTERED = "X-Consul-Results-Filtered-By-ACLs";

  private final ConsulSettings settings;
  private final BoundedHttpClient client = new BoundedHttpClient(CONNECT_TIMEOUT, MAX_BYTES);

  /** The index of the last load; 0 if there was none, or if Consul lost its state. */
  private volatile long index;

  /** Creates a source; nothing is connected yet. */
  public ConsulConfigProvider(ConsulSettings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return "Consul " + settings.path();
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    Response response;
    try {
      response = get("", REQUEST_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException(name() + ": interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
    boolean found = isFound(response);
    checkComplete(response);
    List<Document> documents = found ? documents(response) : List.of();
    index = index(response.headers());
    return documents.isEmpty()
        ? Optional.empty()
        : Optional.of(new Snapshot(digest(documents), documents));
  }

  /** Waits with a blocking query on the index of the last load. */
  @Override
  public void awaitChange(Duration atMost) throws IOException, InterruptedException {
    long known = index;
    if (known == 0) {
      // There is no index to wait for; the load that follows returns one.
      return;
    }
    Duration wait = atMost.compareTo(LONGEST_WAIT) < 0 ? atMost : LONGEST_WAIT;
    // Consul takes 0 for its default, which is minutes.
    long waitMillis = Math.max(1, wait.toMillis());
    // Consul adds up to a sixteenth to the time.
    Duration timeout = wait.plus(wait.dividedBy(16)).plus(REQUEST_TIMEOUT);
    Response response = get("index=" + known + "&wait=" + waitMillis + "ms", timeout);
    isFound(response);
    if (index(response.headers()) < known) {
      // The index goes back when Consul lost or restored its state; the old one means nothing.
      index = 0;
    }
  }

  private Response get(String query, Duration timeout) throws IOException, InterruptedException {
    String key = settings.encodedPath() + (settings.recurse() ? "/?recurse=true&" : "?");
    URI uri = URI.create(settings.uri() + "/v1/kv/" + key + query);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    settings.token().ifPresent(token -> request.header("X-Consul-Token", token));
    try {
      return client.send(request.build(), timeout);
    } catch (IOException e) {
      throw new IOException(
          name() + ": " + settings.uri() + " does not answer: " + e.getMessage(), e);
    }
  }

  /** Returns false if there is no such key. */
  private boolean isFound(Response response) throws IOException {
    return switch (response.status()) {
      case 200 -> true;
      case 404 -> false;
      case 401, 403 ->
          throw new IOException(
              name()
                  + ": access denied ("
                  + response.status()
                  + "); rl.consul.token needs a policy that may read the key");
      default ->
          throw new IOException(
              name() + ": Consul answered " + response.status() + ": " + start(response.body()));
    };
  }

  /**
   * Rejects a list without the keys that the token may not read: their rules would disappear
   * without an error. Consul 1.11 and newer say so.
   */
  private void checkComplete(Response response) throws IOException {
    if (response.headers().firstValue(FILTERED).map(Boolean::parseBoolean).orElse(false)) {
      throw new IOException(
          name()
              + ": access denied to some keys of the folder; rl.consul.token needs a policy that"
              + " may read all of them");
    }
  }

  private static String start(byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8).strip();
    return text.substring(0, Math.min(text.length(), SHOWN_CHARACTERS));
  }

  private List<Document> documents(Response response) throws IOException {
    List<Document> documents = new ArrayList<>();
    try {
      String text = new String(response.body(), StandardCharsets.UTF_8);
      for (Map<String, Object> entry : JsonParser.objects(text)) {
        String key = JsonParser.string(entry, "Key").orElse("");
        // A key that ends with a slash is a folder, and has no value.
        Optional<String> value = JsonParser.string(entry, "Value");
        if (!key.endsWith("/")) {
          byte[] content = Base64.getDecoder().decode(value.orElse(""));
          documents.add(new Document(key, text(key, content)));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new IOException(name() + ": the answer is not that of Consul: " + e.getMessage(), e);
    }
    documents.sort(Comparator.comparing(Document::name));
    return documents;
  }

  private String text(String key, byte[] content) throws IOException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      throw new IOException(name() + ": the value of " + key + " is not a UTF-8 text", e);
    }
  }

  private static long index(HttpHeaders headers) {
    try {
      return Math.max(0, headers.firstValue("X-Consul-Index").map(Long::parseLong).orElse(0L));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static String digest(List<Document> documents) {
    MessageDigest digest = Sha256.start();
    for (Document document : documents) {
      update(digest, document.name());
      update(digest, document.content());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Adds a part with its length, so that different parts never give the same digest input. */
  private static void update(MessageDigest digest, String part) {
    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    digest.update(bytes);
  }
}
