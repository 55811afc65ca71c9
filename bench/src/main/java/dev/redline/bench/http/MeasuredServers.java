package dev.redline.bench.http;

import dev.redline.bench.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the servers that are measured, each in its own JVM. */
final class MeasuredServers {
  private static final List<String> JVM_OPTIONS = List.of("-Xms512m", "-Xmx512m");
  private static final String RULES =
      """
      rules:
        - { id: per-ip, path: /api/**, key: ip, limit: 1000000000/s }
      """;

  private final Path directory;
  private final Path jar;
  private int managementPort;

  /**
   * Creates the starter.
   *
   * @param directory for files of the servers
   * @param jar the jar of the service
   */
  MeasuredServers(Path directory, Path jar) {
    this.directory = directory;
    this.jar = jar;
  }

  Path directory() {
    return directory;
  }

  /** Returns the management port of the service that was started last. */
  int managementPort() {
    return managementPort;
  }

  ServerProcess startBare() throws IOException, InterruptedException {
    int port = ServerProcess.freePort();
    List<String> command =
        ChildJvm.command(JVM_OPTIONS, List.of(BareServer.COMMAND, Integer.toString(port)));
    return ServerProcess.start(command, port, directory);
  }

  /** Starts the service with some properties, given as flags. */
  ServerProcess startRedline(String... flags) throws IOException, InterruptedException {
    Path rules = directory.resolve("rules.yaml");
    Files.writeString(rules, RULES);
    int port = ServerProcess.freePort();
    managementPort = ServerProcess.freePort();
    List<String> command = new ArrayList<>();
    command.add(ChildJvm.java());
    command.addAll(JVM_OPTIONS);
    command.addAll(
        List.of(
            "-jar",
            jar.toString(),
            "serve",
            "--rules",
            rules.toString(),
            "--port",
            Integer.toString(port),
            "--management-port",
            Integer.toString(managementPort)));
    command.addAll(List.of(flags));
    return ServerProcess.start(command, port, directory);
  }

  /** Starts the service with the store on a Redis. */
  ServerProcess startRedlineOnRedis(String uri) throws IOException, InterruptedException {
    return startRedline("--rl.storage.type=REDIS", "--rl.redis.uri=" + uri);
  }

  /** Starts the service with the store on a Redis, and with leases. */
  ServerProcess startRedlineWithLeases(String uri) throws IOException, InterruptedException {
    return startRedline(
        "--rl.storage.type=REDIS", "--rl.redis.uri=" + uri, "--rl.lease.enabled=true");
  }
}
