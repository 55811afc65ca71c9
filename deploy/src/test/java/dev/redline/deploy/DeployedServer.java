package dev.redline.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The jar of the service as a process, with the variables of the Kubernetes manifest. Only ports,
 * paths and the address of Redis are replaced.
 */
public final class DeployedServer implements AutoCloseable {
  private static final Path JAR = DeployFiles.ROOT.resolve("../server/target/redline-server.jar");

  private final HttpClient client = HttpClient.newHttpClient();
  private final int port;
  private final int managementPort = RedisServer.freePort();
  private final Path log;
  private final Process process;

  /** Starts it in a directory; returns when it is ready. */
  DeployedServer(Path directory, String rules, String redisUri)
      throws IOException, InterruptedException {
    this(directory, rules, redisUri, Map.of());
  }

  /** Starts it without Redis, with some variables replaced; returns when it is ready. */
  public DeployedServer(Path directory, String rules, Map<String, String> variables)
      throws IOException, InterruptedException {
    this(directory, rules, "redis://127.0.0.1:1", variables);
  }

  private DeployedServer(
      Path directory, String rules, String redisUri, Map<String, String> variables)
      throws IOException, InterruptedException {
    RedlineObjects manifests = KubernetesManifestsTest.manifests();
    Path mounts = Files.createDirectories(directory.resolve("mounts"));
    for (JsonNode mount : manifests.container().get("volumeMounts")) {
      Files.createDirectories(at(mounts, mount.get("mountPath").asText()));
    }
    Files.writeString(at(mounts, "/etc/redline/rules").resolve("rules.yaml"), rules);
    Path secret = at(mounts, "/etc/redline/secret");
    Files.writeString(secret.resolve("redis-uri"), redisUri);
    Files.writeString(secret.resolve("admin-token"), "an-operator-of-this-test\n");
    log = directory.resolve("server.log");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-jar",
                JAR.normalize().toString(),
                "serve")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    for (Map.Entry<String, String> variable : manifests.variables().entrySet()) {
      String value = variable.getValue();
      builder
          .environment()
          .put(variable.getKey(), value.startsWith("/") ? at(mounts, value).toString() : value);
    }
    String chosen = variables.get("RL_SERVER_PORT");
    port = chosen == null ? RedisServer.freePort() : Integer.parseInt(chosen);
    builder.environment().put("RL_SERVER_PORT", Integer.toString(port));
    builder.environment().put("RL_SERVER_MANAGEMENT_PORT", Integer.toString(managementPort));
    builder.environment().putAll(variables);
    process = builder.start();
    awaitReady();
  }

  private static Path at(Path mounts, String path) {
    return mounts.resolve(path.substring(1));
  }

  private void awaitReady() throws IOException, InterruptedException {
    String readiness =
        KubernetesManifestsTest.manifests().container().at("/readinessProbe/httpGet/path").asText();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (status(managementPort, readiness) != 200) {
      if (!process.isAlive() || System.nanoTime() > end) {
        close();
        throw new IOException("the server does not start: " + log());
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private int status(int at, String path) throws InterruptedException {
    try {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + at + path))
                  .timeout(Duration.ofSeconds(10))
                  .build(),
              BodyHandlers.discarding())
          .statusCode();
    } catch (IOException e) {
      return 0;
    }
  }

  int managementPort() {
    return managementPort;
  }

  /** Checks a request; returns the status. */
  public int check(String path, String clientIp) throws IOException, InterruptedException {
    HttpResponse<Void> response =
        client.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/check"))
                .timeout(Duration.ofSeconds(10))
                .POST(
                    BodyPublishers.ofString(
                        "{\"request\":{\"path\":\"%s\",\"clientIp\":\"%s\"}}"
                            .formatted(path, clientIp)))
                .build(),
            BodyHandlers.discarding());
    return response.statusCode();
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  /** Stops it at once; returns when its port is free. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
