package dev.redline.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.RawClient;
import dev.redline.server.RawClient.Response;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process of the service that gets SIGTERM while it is used. */
@Tag("stress")
@Timeout(180)
class SigtermTest {
  private static final String BODY = "{\"request\":{\"path\":\"/x\"}}";
  private static final String HEAD =
      "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + BODY.length() + "\r\n\r\n";

  @TempDir Path directory;

  private Process start(int port, int managementPort) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "dev.redline.server.cli.Redline",
            "serve",
            "--port",
            Integer.toString(port),
            "--management-port",
            Integer.toString(managementPort))
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("log").toFile())
        .start();
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static int readiness(HttpClient client, int managementPort) throws Exception {
    URI uri = URI.create("http://localhost:" + managementPort + "/actuator/health/readiness");
    return client
        .send(
            HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void readinessFailsFirstAndNoRequestIsLost() throws Exception {
    int port = RedisServer.freePort();
    int managementPort = RedisServer.freePort();
    Process server = start(port, managementPort);
    try {
      await()
          .atMost(Duration.ofMinutes(2))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> listens(port));
      HttpClient client = HttpClient.newHttpClient();
      assertThat(readiness(client, managementPort)).isEqualTo(200);
      AtomicInteger answered = new AtomicInteger();
      AtomicBoolean stopping = new AtomicBoolean();
      List<CompletableFuture<String>> callers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        callers.add(
            CompletableFuture.supplyAsync(
                () -> call(port, answered, stopping), task -> new Thread(task, "caller").start()));
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> answered.get() > 500);
      try (RawClient slow = new RawClient(port)) {
        slow.send(HEAD + BODY.substring(0, 5));
        // Its head is certainly received when another request has been answered after it.
        int before = answered.get();
        await().until(() -> answered.get() > before + 100);

        stopping.set(true);
        server.destroy();

        await().pollInterval(Duration.ofMillis(20)).until(() -> !listens(port));
        assertThat(readiness(client, managementPort)).isEqualTo(503);
        slow.send(BODY.substring(5));
        Response response = slow.response();
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.head().toLowerCase(Locale.ROOT)).contains("connection: close");
      }
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
      for (CompletableFuture<String> caller : callers) {
        assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo("refused");
      }
      assertThat(listens(port)).isFalse();
      assertThat(listens(managementPort)).isFalse();
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  /**
   * Sends requests until nothing listens; returns "refused" if each one was answered. A connection
   * that the kernel made and the server had not accepted when it closed its port is reset: the
   * server never had that request.
   */
  private static String call(int port, AtomicInteger answered, AtomicBoolean stopping) {
    while (true) {
      boolean fresh = true;
      try (RawClient client = new RawClient(port)) {
        boolean closed = false;
        while (!closed) {
          client.send(HEAD + BODY);
          Response response = client.response();
          if (response == null || response.status() != 200) {
            return "lost: " + response;
          }
          answered.incrementAndGet();
          fresh = false;
          closed = response.head().toLowerCase(Locale.ROOT).contains("\r\nconnection: close");
        }
      } catch (ConnectException e) {
        return "refused";
      } catch (IOException e) {
        return fresh && stopping.get() ? "refused" : e.toString();
      }
    }
  }
}
