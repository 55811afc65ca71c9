package dev.redline.server.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** {@code GET /v1/openapi.json}: the OpenAPI description of the data plane. */
final class OpenApiEndpoint implements Endpoint {
  private final String description;

  OpenApiEndpoint() {
    try (InputStream in = OpenApiEndpoint.class.getResourceAsStream("openapi.json")) {
      if (in == null) {
        throw new IOException("openapi.json is missing");
      }
      description = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    exchange.json(description);
  }
}
