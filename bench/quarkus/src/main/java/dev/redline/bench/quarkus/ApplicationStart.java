package dev.redline.bench.quarkus;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the start of a packaged application takes, in milliseconds.
 *
 * @param firstResponse from the start of the process to the first response of status 200
 * @param byQuarkus what Quarkus says
 * @param processor the processor time of the process up to the first response
 */
record ApplicationStart(double firstResponse, double byQuarkus, double processor) {
  private static final Pattern STARTED =
      Pattern.compile("started in ([0-9.]+)s\\. Listening on: (http://127\\.0\\.0\\.1:[0-9]+)");

  /**
   * Starts an application once.
   *
   * @param limited whether the responses of /hello must have the headers of a limit
   */
  static ApplicationStart measure(Path jar, boolean limited)
      throws IOException, InterruptedException {
    List<String> options = List.of("-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=0");
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(JavaProgram.command(jar, options)).redirectErrorStream(true).start();
    StringBuilder output = new StringBuilder();
    try (BufferedReader reader = JavaProgram.output(process)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        output.append(line).append('\n');
        Matcher started = STARTED.matcher(line);
        if (started.find()) {
          get(started.group(2) + "/free");
          double firstResponse = (System.nanoTime() - start) / 1e6;
          double processor = process.info().totalCpuDuration().orElseThrow().toNanos() / 1e6;
          if ((get(started.group(2) + "/hello").getHeaderField("X-RateLimit-Limit") != null)
              != limited) {
            throw new IOException(jar + (limited ? " does not limit /hello" : " limits /hello"));
          }
          return new ApplicationStart(
              firstResponse, 1000 * Double.parseDouble(started.group(1)), processor);
        }
      }
    } finally {
      process.destroy();
      process.waitFor();
    }
    throw new IOException(jar + " did not start:\n" + output);
  }

  private static HttpURLConnection get(String uri) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(uri).toURL().openConnection();
    connection.setReadTimeout(60_000);
    if (connection.getResponseCode() != 200) {
      throw new IOException(uri + ": status " + connection.getResponseCode());
    }
    return connection;
  }
}
