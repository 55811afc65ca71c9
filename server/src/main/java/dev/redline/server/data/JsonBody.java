package dev.redline.server.data;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the body of one admitted request, up to 1 MiB. */
final class JsonBody {
  /** The largest body that is accepted. */
  static final int MAX_BYTES = 1 << 20;

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
      if (isUtf8(body)) {
        onComplete.accept(body);
      } else {
        exchange.problem(new HttpProblem(400, "the body is not valid JSON: it is not UTF-8"));
      }
    }
  }

  /**
   * Returns whether bytes are UTF-8. The JSON parser also accepts overlong forms and surrogates,
   * which are other spellings of the same text.
   */
  private static boolean isUtf8(byte[] bytes) {
    for (byte next : bytes) {
      if (next < 0) {
        try {
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
          return true;
        } catch (CharacterCodingException e) {
          return false;
        }
      }
    }
    return true;
  }
}
