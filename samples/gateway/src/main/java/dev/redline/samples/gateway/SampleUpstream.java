package dev.redline.samples.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.MapPropertySource;

/**
 * The application behind the gateway, which responds with the path of the request. It listens on a
 * free port, which routes know as {@code ${upstream.port}}.
 */
final class SampleUpstream
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {
  @Override
  public void initialize(ConfigurableApplicationContext gateway) {
    HttpServer server = create();
    gateway
        .getEnvironment()
        .getPropertySources()
        .addLast(
            new MapPropertySource(
                "upstream", Map.of("upstream.port", server.getAddress().getPort())));
    gateway.addApplicationListener(
        event -> {
          // Not before: the application is processed ahead of time without being started.
          if (event instanceof ContextRefreshedEvent started
              && started.getApplicationContext() == gateway) {
            server.start();
          } else if (event instanceof ContextClosedEvent) {
            server.stop(0);
          }
        });
  }

  private static HttpServer create() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", SampleUpstream::respond);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("the upstream does not start", e);
    }
  }

  private static void respond(HttpExchange request) throws IOException {
    try (request) {
      String path = request.getRequestURI().getPath();
      byte[] body = path.substring(1).getBytes(StandardCharsets.UTF_8);
      request.getResponseHeaders().set("Content-Type", "text/plain");
      request.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
      request.getResponseBody().write(body);
    }
  }
}
