package dev.redline.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process of its own, as users run it. */
class ProcessTest {
  @TempDir Path directory;

  private final Map<String, String> variables = new HashMap<>();

  private Process start(String... words) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.redline.server.cli.Redline"));
    command.addAll(List.of(words));
    ProcessBuilder process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    process.environment().putAll(variables);
    return process.start();
  }

  private static ConcurrentLinkedQueue<String> gather(Process process) {
    ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader out =
                  new BufferedReader(
                      new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                out.lines().forEach(lines::add);
              } catch (IOException | UncheckedIOException e) {
                // Not by its name: a stream that ends with its process is no mistake of the server.
                lines.add("the output ended");
              }
            });
    reader.setDaemon(true);
    reader.start();
    return lines;
  }

  @Test
  void serveWithExampleRulesPrintsACommandThatIsDeniedAndStopsCleanly() throws Exception {
    variables.put("RL_STORAGE_TYP", "CAFFEINE");
    variables.put("RL_STORAGE_MAX_KEYS", "1000");
    Process process = start("serve", "--port", "0", "--management-port", "0");
    try {
      ConcurrentLinkedQueue<String> lines = gather(process);
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> lines.stream().anyMatch(line -> line.strip().startsWith("curl ")));
      assertThat(lines)
          .filteredOn(line -> line.contains(" WARN "))
          .singleElement()
          .asString()
          .endsWith(
              "the environment variable RL_STORAGE_TYP is not known; did you mean RL_STORAGE_TYPE?");
      String step =
          lines.stream().filter(line -> line.strip().startsWith("curl ")).findFirst().orElseThrow();
      Matcher parts = Pattern.compile("(http://\\S+) .* -d '(.*)'").matcher(step);
      assertThat(parts.find()).isTrue();
      URI uri = URI.create(parts.group(1));
      HttpClient client = HttpClient.newHttpClient();
      HttpRequest request =
          HttpRequest.newBuilder(uri)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(parts.group(2)))
              .build();
      for (int i = 0; i < 5; i++) {
        assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      }
      HttpResponse<String> sixth = client.send(request, BodyHandlers.ofString());
      assertThat(sixth.statusCode()).isEqualTo(429);
      assertThat(sixth.headers().firstValue("Retry-After")).isPresent();

      try (Socket socket = new Socket("localhost", uri.getPort())) {
        socket.setSoTimeout(20_000);
        String body = "{\"request\":{}}";
        socket
            .getOutputStream()
            .write(
                "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{"
                    .getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        process.destroy();
        await().atMost(Duration.ofSeconds(30)).until(() -> nobodyListens(uri.getPort()));
        assertThat(process.isAlive()).isTrue();
        socket.getOutputStream().write(body.substring(1).getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(answer).startsWith("HTTP/1.1 200").containsIgnoringCase("connection: close");
      }
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
      // The end of the process may close its output under the thread that reads it.
      assertThat(lines).noneMatch(line -> line.contains("Exception") && !line.startsWith("end: "));
      Path token = directory.toRealPath().resolve("data").resolve("admin-token");
      String secret = Files.readString(token).strip();
      assertThat(lines)
          .anyMatch(line -> line.contains(token.toString()))
          .noneMatch(line -> line.contains(secret));
    } finally {
      process.destroyForcibly();
    }
  }

  private static boolean nobodyListens(int port) {
    try (Socket socket = new Socket("localhost", port)) {
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void serveWithoutRulesPrintsTheErrorAndExitsWith1() throws Exception {
    Process process = start("serve", "--rules", "nowhere.yaml", "--port", "0");
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(1);
      assertThat(output.lines())
          .containsExactly(
              "rl.config.path: 'nowhere.yaml' does not exist; use a file or directory",
              "nowhere.yaml: there is no rule document");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void validateEndsWithItsExitCode() throws Exception {
    Process process = start("validate", "nowhere.yaml");
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(1);
    } finally {
      process.destroyForcibly();
    }
  }
}
