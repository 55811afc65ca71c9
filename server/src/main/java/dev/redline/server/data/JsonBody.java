package dev.redline.server.data;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the body of one admitted request, up to 1 MiB. */
final class JsonBody {
  /** The largest body that is accepted. */
  static final int MAX_BYTES = 1 << 20;

  /**
   * From this size on, a body is read, and what it asks is decided, on another thread: up to 1 MiB
   * takes tens of milliseconds, for example if it is one long path, and would delay all other
   * requests of the event loop.
   */
  static final int LARGE_BYTES = 1 << 16;

  private static final byte[] NO_BYTES = {};

  private final Exchange exchange;
  private final Consumer<byte[]> onComplete;
  private @Nullable Buffer content;
  private boolean copied;
  private int length;

  JsonBody(Exchange exchange, Consumer<byte[]> onComplete) {
    this.exchange = exchange;
    this.onComplete = onComplete;
  }

  /** Returns the error for a body that the header fields show to be unacceptable, or null. */
  static @Nullable HttpProblem checkHeaders(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    if (type != null && !isJson(type)) {
      return new HttpProblem(
          415, "Content-Type: '" + type + "' is not understood; use application/json");
    }
    String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      return new HttpProblem(415, "Content-Encoding: '" + encoding + "' is not understood");
    }
    String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return declared != null && exceeds(declared, MAX_BYTES) ? tooLarge() : null;
  }

  private static boolean isJson(String type) {
    if (type.equals("application/json") || type.isBlank()) {
      return true;
    }
    String[] parts = type.toLowerCase(Locale.ROOT).split(";", -1);
    String media = parts[0].trim();
    boolean json =
        media.equals("application/json")
            || (media.startsWith("application/") && media.endsWith("+json"));
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].trim();
      if (parameter.startsWith("charset=")) {
        String charset = parameter.substring("charset=".length()).replace("\"", "").trim();
        json &= charset.equals("utf-8") || charset.equals("utf8") || charset.equals("us-ascii");
      }
    }
    return json;
  }

  /** Returns whether a declared length is larger than a number of bytes. */
  static boolean exceeds(String declared, int bytes) {
    try {
      return Long.parseLong(declared.trim()) > bytes;
    } catch (NumberFormatException e) {
      return true;
    }
  }

  private static HttpProblem tooLarge() {
    return new HttpProblem(413, "the body is larger than " + MAX_BYTES + " bytes");
  }

  void read() {
    HttpServerRequest request = exchange.request();
    exchange.awaitBody();
    request.handler(this::add).endHandler(nothing -> end());
    if (request.headers().contains(HttpHeaders.EXPECT)) {
      request.response().writeContinue();
    }
  }

  private void add(Buffer chunk) {
    if (exchange.isResponded()) {
      return;
    }
    length += chunk.length();
    if (length > MAX_BYTES) {
      reject(tooLarge());
    } else if (!exchange.buffer(chunk.length())) {
      reject(Router.overloaded());
    } else {
      append(chunk);
    }
  }

  /** Appends a chunk; most bodies are one chunk, which needs no copy. */
  private void append(Buffer chunk) {
    if (content == null) {
      content = chunk;
      return;
    }
    if (!copied) {
      copied = true;
      content = Buffer.buffer(content.length() + chunk.length()).appendBuffer(content);
    }
    content.appendBuffer(chunk);
  }

  private void reject(HttpProblem problem) {
    content = null;
    exchange.problem(problem);
  }

  private void end() {
    exchange.bodyComplete();
    if (!exchange.isResponded()) {
      byte[] body = content == null ? NO_BYTES : content.getBytes();
      content = null;
      onComplete.accept(body);
    }
  }
}
