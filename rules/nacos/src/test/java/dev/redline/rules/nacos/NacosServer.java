package dev.redline.rules.nacos;

import dev.redline.testkit.internal.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A real Nacos with authentication, one for all tests of this module. It ends with the JVM. */
final class NacosServer {
  /** How long an access token is valid. */
  static final Duration TOKEN = Duration.ofSeconds(6);

  private static final Path CLASS_PATH = Path.of("..", "nacos-server", "target", "class-path");
  private static final Path CLASSES = Path.of("..", "nacos-server", "target", "classes");
  private static final Duration START = Duration.ofMinutes(4);
  private static final String ADMIN = "nacos";

  private static NacosServer shared;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path folder;
  private final int port;
  private ChildProcess process;

  private NacosServer(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /** Returns the server, which the first call starts. */
  static synchronized NacosServer shared() throws Exception {
    if (shared == null) {
      NacosServer server =
          new NacosServer(Files.createTempDirectory("nacos").toRealPath(), freePort());
      Runtime.getRuntime().addShutdownHook(new Thread(server::end));
      server.start();
      shared = server;
    }
    return shared;
  }

  private void end() {
    process.kill();
    ChildProcess.remove(folder);
  }

  /** Nacos also uses the ports 1000 below and 1000 and 1001 above its own. */
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(12_000, 30_000);
      if (isFree(port) && isFree(port - 1000) && isFree(port + 1000) && isFree(port + 1001)) {
        return port;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void start() throws Exception {
    String secret =
        Base64.getEncoder()
            .encodeToString("a-key-of-a-test".repeat(4).getBytes(StandardCharsets.UTF_8));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("-Dnacos.standalone=true");
    command.add("-Dnacos.home=" + folder);
    command.add("-Duser.home=" + folder);
    command.add("-Dserver.port=" + port);
    for (String opened :
        List.of(
            "java.lang",
            "java.util",
            "java.math",
            "java.time",
            "java.util.concurrent",
            "java.lang.reflect",
            "java.io",
            "sun.nio.ch")) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    command.add("-cp");
    command.add(CLASSES.toAbsolutePath().normalize() + ":" + Files.readString(CLASS_PATH).strip());
    command.add("dev.redline.rules.nacos.server.NacosServerMain");
    command.addAll(
        List.of(
            "--server.servlet.contextPath=/nacos",
            "--server.address=127.0.0.1",
            "--nacos.inetutils.ip-address=127.0.0.1",
            "--nacos.core.auth.enabled=true",
            "--nacos.core.auth.system.type=nacos",
            "--nacos.core.auth.caching.enabled=false",
            "--nacos.core.auth.enable.userAgentAuthWhite=false",
            "--nacos.core.auth.server.identity.key=redline",
            "--nacos.core.auth.server.identity.value=redline",
            "--nacos.core.auth.plugin.nacos.token.secret.key=" + secret,
            "--nacos.core.auth.plugin.nacos.token.expire.seconds=" + TOKEN.toSeconds(),
            "--spring.main.allow-circular-references=true",
            "--server.tomcat.basedir=" + folder,
            "--management.metrics.export.elastic.enabled=false",
            "--management.metrics.export.influx.enabled=false"));
    Files.createDirectories(folder.resolve("conf"));
    Files.createDirectories(folder.resolve("logs"));
    Path log = folder.resolve("server.log");
    process = ChildProcess.start(folder, log, command);
    long deadline = System.nanoTime() + START.toNanos();
    while (!isReady()) {
      if (System.nanoTime() > deadline || !process.isAlive()) {
        throw new IllegalStateException("Nacos does not start:\n" + Files.readString(log));
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private boolean isReady() throws InterruptedException {
    try {
      publish("public", "ready", "yes");
      return true;
    } catch (IOException | IllegalStateException e) {
      return false;
    }
  }

  int port() {
    return port;
  }

  /** Kills the process; its data stays. */
  void kill() {
    process.kill();
  }

  void restart() throws Exception {
    start();
  }

  /** Writes a document of the default group. */
  void publish(String namespace, String dataId, String content)
      throws IOException, InterruptedException {
    admin(
        "POST",
        "/v1/cs/configs",
        "dataId="
            + encode(dataId)
            + "&group=DEFAULT_GROUP"
            + tenant(namespace)
            + "&content="
            + encode(content));
  }

  /** Waits until readers see a document of the default namespace, which takes some milliseconds. */
  void awaitVisible(String dataId, String content) throws IOException, InterruptedException {
    awaitState(dataId, response -> response.body().equals(content));
  }

  /** Waits until readers no longer see a document of the default namespace. */
  void awaitGone(String dataId) throws IOException, InterruptedException {
    awaitState(dataId, response -> response.statusCode() == 404);
  }

  private void awaitState(String dataId, Predicate<HttpResponse<String>> reached)
      throws IOException, InterruptedException {
    String path = "/v1/cs/configs?dataId=" + encode(dataId) + "&group=DEFAULT_GROUP";
    String authorization = "Bearer " + token();
    long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    while (!reached.test(request("GET", path, "", authorization))) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(dataId + " is not in the expected state");
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  void remove(String namespace, String dataId) throws IOException, InterruptedException {
    admin(
        "DELETE",
        "/v1/cs/configs?dataId=" + encode(dataId) + "&group=DEFAULT_GROUP" + tenant(namespace),
        "");
  }

  private static String tenant(String namespace) {
    return namespace.equals("public") ? "" : "&tenant=" + encode(namespace);
  }

  /** Makes a user that may read the documents of the default namespace. */
  void createUser(String name, String password) throws IOException, InterruptedException {
    String role = "role-" + name;
    admin("POST", "/v1/auth/users", "username=" + name + "&password=" + encode(password));
    admin("POST", "/v1/auth/roles", "role=" + role + "&username=" + name);
    permit(name);
  }

  void permit(String name) throws IOException, InterruptedException {
    admin(
        "POST",
        "/v1/auth/permissions",
        "role=role-" + name + "&resource=" + encode(":*:*") + "&action=r");
  }

  void forbid(String name) throws IOException, InterruptedException {
    admin(
        "DELETE",
        "/v1/auth/permissions?role=role-" + name + "&resource=" + encode(":*:*") + "&action=r",
        "");
  }

  void setPassword(String name, String password) throws IOException, InterruptedException {
    admin("PUT", "/v1/auth/users", "username=" + name + "&newPassword=" + encode(password));
  }

  private void admin(String method, String path, String form)
      throws IOException, InterruptedException {
    HttpResponse<String> response = request(method, path, form, "Bearer " + token());
    if (response.statusCode() != 200) {
      throw new IllegalStateException(
          method + " " + path + ": " + response.statusCode() + " " + response.body());
    }
  }

  private String token() throws IOException, InterruptedException {
    return request(
            "POST", "/v1/auth/users/login", "username=" + ADMIN + "&password=" + ADMIN, "none")
        .body()
        .replaceFirst(".*\"accessToken\":\"([^\"]*)\".*", "$1");
  }

  private HttpResponse<String> request(
      String method, String path, String form, String authorization)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/nacos" + path))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Authorization", authorization)
            .timeout(Duration.ofSeconds(10))
            .method(method, BodyPublishers.ofString(form))
            .build(),
        BodyHandlers.ofString());
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
