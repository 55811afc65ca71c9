package dev.redline.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... words) throws Exception {
    return Main.run(
        List.of(words), new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-h",
        "--help",
        "local --help",
        "local -h",
        "redis --help",
        "faults --help",
        "scale --nodes 10 --help",
        "http --quick -h"
      })
  void helpPrintsTheUsage(String words) throws Exception {
    assertThat(run(words.split(" "))).isZero();
    assertThat(out.toString(UTF_8)).startsWith("usage: redline bench local");
    assertThat(err.toString(UTF_8)).isEmpty();
  }

  @Test
  void anUnknownBenchmarkOrOptionIsNotUnderstood() throws Exception {
    assertThat(run("loc")).isEqualTo(2);
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString(UTF_8)).startsWith("usage: redline bench local");
    assertThat(run("local", "--slow")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains("bench local does not know --slow");
    assertThat(out.toString(UTF_8)).isEmpty();
  }
}
