package dev.redline.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Prometheus, with the configuration and the rules of this folder; it scrapes every second. */
final class PrometheusProcess implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final int port = RedisServer.freePort();
  private final Process process;

  /** Starts it; returns when it responds. */
  PrometheusProcess(Path directory, int target) throws IOException, InterruptedException {
    Path folder = Files.createDirectories(directory.resolve("prometheus"));
    String configuration =
        DeployFiles.text("prometheus/prometheus.yml")
            .replace("redline:9090", "127.0.0.1:" + target)
            .replace(": 15s", ": 1s");
    Files.writeString(folder.resolve("prometheus.yml"), configuration);
    for (String rules : List.of("redline-recording.yml", "redline-alerts.yml")) {
      Files.writeString(folder.resolve(rules), DeployFiles.text("prometheus/" + rules));
    }
    Path log = folder.resolve("log");
    process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=data",
                "--web.listen-address=127.0.0.1:" + port)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!isReady()) {
      if (!process.isAlive() || System.nanoTime() > end) {
        close();
        throw new IOException("Prometheus does not start: " + Files.readString(log));
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private boolean isReady() throws InterruptedException {
    try {
      return client
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/-/ready"))
                      .build(),
                  BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return DeployFiles.json(
        client
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                BodyHandlers.ofString())
            .body());
  }

  /** Returns the series of a query. */
  List<JsonNode> query(String expression) throws IOException, InterruptedException {
    JsonNode answer =
        get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
    if (!answer.path("status").asText().equals("success")) {
      throw new IllegalArgumentException(expression + ": " + answer);
    }
    List<JsonNode> series = new ArrayList<>();
    answer.at("/data/result").forEach(series::add);
    return series;
  }

  /** Returns the names of the alerts that fire. */
  List<String> firingAlerts() throws IOException, InterruptedException {
    List<String> names = new ArrayList<>();
    for (JsonNode alert : get("/api/v1/alerts").at("/data/alerts")) {
      if (alert.path("state").asText().equals("firing")) {
        names.add(alert.at("/labels/alertname").asText());
      }
    }
    return names;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
