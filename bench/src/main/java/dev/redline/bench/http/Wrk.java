package dev.redline.bench.http;

import dev.redline.bench.BenchUsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generator: {@code wrk} with one thread, which sends the same checks to a server. */
final class Wrk {
  private static final Pattern REQUESTS = Pattern.compile("(\\d+) requests in ([0-9.]+)(m?s|m)");
  private static final Pattern MEDIAN = Pattern.compile("50%\\s+(\\S+)");
  private static final Pattern P99 = Pattern.compile("99%\\s+(\\S+)");
  private static final List<String> FAILURES = List.of("Non-2xx or 3xx responses", "Socket errors");

  /** The script builds all requests beforehand, so that the load itself is cheap. */
  private static final String SCRIPT =
      """
      local requests = {}
      local at = 0
      init = function(args)
        for i = 1, 1000 do
          local ip = string.format("10.0.%d.%d", math.floor(i / 250), i % 250)
          local body = '{"request":{"path":"/api/orders/' .. i .. '","method":"GET",'
            .. '"clientIp":"' .. ip .. '"}}'
          requests[i] = wrk.format("POST", "/v1/check",
            {["Host"] = "localhost", ["Content-Type"] = "application/json"}, body)
        end
      end
      request = function()
        at = at % #requests + 1
        return requests[at]
      end
      """;

  private final Path script;
  private final int connections;

  /**
   * Finds wrk, and writes its script.
   *
   * @throws BenchUsageException if there is no wrk
   */
  Wrk(Path directory, int connections) throws IOException, InterruptedException {
    this.connections = connections;
    try {
      new ProcessBuilder("wrk", "-v")
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new BenchUsageException(
          "bench http needs wrk, and there is none on the PATH; get it with: apt-get install wrk");
    }
    this.script = directory.resolve("checks.lua");
    Files.writeString(script, SCRIPT);
  }

  /**
   * The results of wrk.
   *
   * @param requests how many were answered
   * @param perSecond how many were answered per second
   * @param median the time half of them took at most, as wrk writes it
   * @param p99 the time all but one in a hundred took at most
   */
  record Result(long requests, double perSecond, String median, String p99) {
    static Result parse(String output) {
      if (FAILURES.stream().anyMatch(output::contains)) {
        throw new IllegalStateException(
            "not every check was allowed or had a response:\n" + output);
      }
      Matcher found = REQUESTS.matcher(output);
      if (!found.find()) {
        throw new IllegalStateException("unexpected output of wrk:\n" + output);
      }
      long requests = Long.parseLong(found.group(1));
      double seconds = Double.parseDouble(found.group(2));
      if (found.group(3).equals("m")) {
        seconds *= 60;
      } else if (found.group(3).equals("ms")) {
        seconds /= 1000;
      }
      return new Result(requests, requests / seconds, first(MEDIAN, output), first(P99, output));
    }

    private static String first(Pattern pattern, String output) {
      Matcher found = pattern.matcher(output);
      return found.find() ? found.group(1) : "?";
    }
  }

  Result drive(int port, Duration time) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    "wrk",
                    "--latency",
                    "-t1",
                    "-c" + connections,
                    "-d" + time.toSeconds() + "s",
                    "-s" + script,
                    "http://127.0.0.1:" + port))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("wrk failed:\n" + output);
    }
    return Result.parse(output);
  }
}
