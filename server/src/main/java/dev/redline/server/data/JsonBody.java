package dev.redline.server.data;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gathers the body of one request that was admitted, up to 1 MiB. */
final class JsonBody {
  /** The largest body that is read. */
  static final int LARGEST = 1 << 20;

  private static final byte[] NO_BYTES = {};

  private final Exchange exchange;
  private final Consumer<byte[]> complete;
  private @Nullable Buffer gathered;
  private boolean several;
  private int length;

  JsonBody(Exchange exchange, Consumer<byte[]> complete) {
    this.exchange = exchange;
    this.complete = complete;
  }

  /** Returns what is wrong with the body as the head of the request announces it, or null. */
  static @Nullable HttpProblem unacceptable(HttpServerRequest request) {
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
    return declared != null && isTooLong(declared) ? tooLarge() : null;
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

  static boolean isTooLong(String declared) {
    try {
      return Long.parseLong(declared.trim()) > LARGEST;
    } catch (NumberFormatException e) {
      return true;
    }
  }

  private static HttpProblem tooLarge() {
    return new HttpProblem(413, "the body is larger than " + LARGEST + " bytes");
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
    if (exchange.isAnswered()) {
      return;
    }
    length += chunk.length();
    if (length > LARGEST) {
      drop(tooLarge());
    } else if (!exchange.keep(chunk.length())) {
      drop(Router.overloaded());
    } else {
      gather(chunk);
    }
  }

  private void gather(Buffer chunk) {
    if (gathered == null) {
      gathered = chunk;
      return;
    }
    if (!several) {
      several = true;
      gathered = Buffer.buffer(gathered.length() + chunk.length()).appendBuffer(gathered);
    }
    gathered.appendBuffer(chunk);
  }

  private void drop(HttpProblem problem) {
    gathered = null;
    exchange.problem(problem);
  }

  private void end() {
    exchange.bodyComplete();
    if (!exchange.isAnswered()) {
      byte[] body = gathered == null ? NO_BYTES : gathered.getBytes();
      gathered = null;
      complete.accept(body);
    }
  }
}
