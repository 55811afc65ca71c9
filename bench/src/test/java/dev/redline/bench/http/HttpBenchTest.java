package dev.redline.bench.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.ChildJvm;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpBenchTest {
  private static final String OUTPUT =
      """
      Running 6s test @ http://127.0.0.1:8080
        1 threads and 64 connections
        Latency Distribution
           50%    1.14ms
           75%    2.10ms
           90%    3.20ms
           99%   65.56ms
        120000 requests in 6.00s, 30.00MB read
      Requests/sec:  20000.00
      """;

  @Test
  void bareServerRespondsWithADecisionToTheSameRequest(@TempDir Path directory) throws Exception {
    int port = ServerProcess.freePort();
    List<String> command =
        ChildJvm.command(List.of(), List.of(BareServer.COMMAND, Integer.toString(port)));
    try (ServerProcess server = ServerProcess.start(command, port, directory)) {
      HttpResponse<String> response =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/check"))
                      .POST(BodyPublishers.ofString("{\"request\":{}}"))
                      .build(),
                  BodyHandlers.ofString());

      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
      assertThat(response.body()).startsWith("{\"allowed\":true").endsWith("}");
      assertThat(server.cpuTime()).isPositive();
    }
  }

  @Test
  void reportsAServerThatEndsAtOnceWithItsOutput(@TempDir Path directory) throws Exception {
    int port = ServerProcess.freePort();
    List<String> command = ChildJvm.command(List.of(), List.of("no-such-benchmark"));

    assertThatThrownBy(() -> ServerProcess.start(command, port, directory))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("usage: redline bench");
  }

  @Test
  void wrkIsReadForRequestsAndLatencies() {
    Wrk.Result result = Wrk.Result.parse(OUTPUT);

    assertThat(result.requests()).isEqualTo(120_000);
    assertThat(result.perSecond()).isEqualTo(20_000);
    assertThat(result.median()).isEqualTo("1.14ms");
    assertThat(result.p99()).isEqualTo("65.56ms");
  }

  @Test
  void aRunWithDeniedChecksDoesNotCount() {
    assertThatThrownBy(() -> Wrk.Result.parse(OUTPUT + "  Non-2xx or 3xx responses: 12\n"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not every check was allowed");
  }

  @Test
  void aRunWithoutAllResponsesDoesNotCount() {
    String errors = "  Socket errors: connect 0, read 3, write 0, timeout 1\n";
    assertThatThrownBy(() -> Wrk.Result.parse(OUTPUT + errors))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("or had a response")
        .hasMessageContaining("read 3");
  }

  @Test
  void theLibraryIsMeasuredInRoundsAndCountsAllDecisions() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();

    LibraryProbe.run(
        List.of(LibraryProbe.LOCAL, "4", "2", "PT0.5S", "PT0.1S"),
        new PrintStream(printed, true, StandardCharsets.UTF_8));

    List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.subList(0, 2))
        .allSatisfy(each -> assertThat(each).matches("[0-9]+[.][0-9]{3}"));
    assertThat(Long.parseLong(lines.get(2))).isPositive();
  }

  @Test
  void anUnknownOptionIsNamed() {
    assertThatThrownBy(() -> HttpBench.Plan.parse(List.of("--fast")))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("--fast");
  }

  @Test
  void aMissingServerIsNamedWithTheWayToBuildIt() {
    HttpBench bench = new HttpBench(HttpBench.Plan.parse(List.of("--server", "/no/such.jar")));

    assertThatThrownBy(bench::serverJar)
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("/no/such.jar")
        .hasMessageContaining("mvn -pl server");
  }
}
