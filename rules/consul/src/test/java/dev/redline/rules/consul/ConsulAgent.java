package dev.redline.rules.consul;

import dev.redline.testkit.internal.ChildProcess;
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
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A real Consul: one server with its data on disk and with access control. */
final class ConsulAgent implements AutoCloseable {
  /** The token that may do everything. */
  static final String ROOT = "11111111-2222-3333-4444-555555555555";

  private static final Duration START = Duration.ofSeconds(60);
  private static final String ACL =
      "acl { enabled = true default_policy = \"deny\" tokens { master = \"" + ROOT + "\" } }";

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path folder;
  private final int port = RedisServer.freePort();
  private final int serverPort = RedisServer.freePort();
  private final int serfPort = RedisServer.freePort();
  private @Nullable ChildProcess process;

  private ConsulAgent(Path folder) {
    this.folder = folder;
  }

  static ConsulAgent start() throws Exception {
    ConsulAgent agent = new ConsulAgent(Files.createTempDirectory("consul"));
    agent.startProcess(agent.port);
    return agent;
  }

  private void startProcess(int httpPort) throws Exception {
    process =
        ChildProcess.start(
            folder,
            folder.resolve("log"),
            List.of(
                "consul",
                "agent",
                "-server",
                "-bootstrap-expect=1",
                "-bind=127.0.0.1",
                "-client=127.0.0.1",
                "-node=redline",
                "-data-dir=" + folder.resolve("data"),
                "-http-port=" + httpPort,
                "-server-port=" + serverPort,
                "-serf-lan-port=" + serfPort,
                "-serf-wan-port=-1",
                "-dns-port=-1",
                "-grpc-port=-1",
                "-hcl",
                ACL,
                "-hcl",
                "performance { raft_multiplier = 1 }"));
    long deadline = System.nanoTime() + START.toNanos();
    while (!isReady(httpPort)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(Files.readString(folder.resolve("log")));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Returns whether there is a leader, and the root token is known. */
  private boolean isReady(int httpPort) throws InterruptedException {
    try {
      return request(httpPort, "PUT", "/v1/kv/ready", "yes").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  int port() {
    return port;
  }

  String uri() {
    return "http://127.0.0.1:" + port;
  }

  HttpResponse<String> request(String method, String path, String body)
      throws IOException, InterruptedException {
    return request(port, method, path, body);
  }

  private HttpResponse<String> request(int httpPort, String method, String path, String body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + path))
            .header("X-Consul-Token", ROOT)
            .timeout(Duration.ofSeconds(10))
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  void put(String key, String value) throws IOException, InterruptedException {
    put(port, key, value);
  }

  private void put(int httpPort, String key, String value)
      throws IOException, InterruptedException {
    HttpResponse<String> response = request(httpPort, "PUT", "/v1/kv/" + key, value);
    if (response.statusCode() != 200) {
      throw new IOException(response.statusCode() + ": " + response.body());
    }
  }

  void delete(String key) throws IOException, InterruptedException {
    request("DELETE", "/v1/kv/" + key + "?recurse=true", "");
  }

  /** Makes a token of this value that may read all keys under a prefix. */
  void createToken(String secret, String prefix) throws IOException, InterruptedException {
    String rules = "key_prefix \\\"" + prefix + "\\\" { policy = \\\"read\\\" }";
    request("PUT", "/v1/acl/policy", "{\"Name\":\"p-" + secret + "\",\"Rules\":\"" + rules + "\"}");
    HttpResponse<String> response =
        request(
            "PUT",
            "/v1/acl/token",
            "{\"AccessorID\":\""
                + secret
                + "\",\"SecretID\":\""
                + secret
                + "\",\"Policies\":[{\"Name\":\"p-"
                + secret
                + "\"}]}");
    if (response.statusCode() != 200) {
      throw new IOException(response.statusCode() + ": " + response.body());
    }
  }

  void revokeToken(String secret) throws IOException, InterruptedException {
    request("DELETE", "/v1/acl/token/" + secret, "");
  }

  /** Kills the process; its data stays. */
  void kill() {
    if (process != null) {
      process.kill();
      process = null;
    }
  }

  /** Starts the process again; its port opens after a value was changed behind another port. */
  void restartWith(String key, String value) throws Exception {
    int hidden = RedisServer.freePort();
    startProcess(hidden);
    put(hidden, key, value);
    kill();
    restart();
  }

  void restart() throws Exception {
    startProcess(port);
  }

  @Override
  public void close() {
    kill();
    ChildProcess.remove(folder);
  }
}
