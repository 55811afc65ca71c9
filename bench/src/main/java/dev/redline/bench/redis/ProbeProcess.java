package dev.redline.bench.redis;

import dev.redline.bench.ChildJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** A {@link RedisProbe} in its own JVM, idle until a measurement is requested. */
final class ProbeProcess implements AutoCloseable {
  private final RedisContender contender;
  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader samples;

  ProbeProcess(RedisContender contender, List<String> jvmOptions, String uri, String clusterUri)
      throws IOException {
    this.contender = contender;
    this.process =
        new ProcessBuilder(
                ChildJvm.command(
                    jvmOptions, List.of(RedisProbe.COMMAND, contender.name(), uri, clusterUri)))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    this.requests =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    this.samples =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  Sample measure(Cell cell, Duration time, double perSecond) throws IOException {
    requests.write(RedisProbe.request(cell, time, perSecond));
    requests.newLine();
    requests.flush();
    String line = samples.readLine();
    if (line == null) {
      throw new IOException("the JVM of " + contender.title() + " ended while measuring " + cell);
    }
    return Sample.parse(line);
  }

  @Override
  public void close() {
    process.destroy();
  }
}
