package dev.redline.bench.scale;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.bench.BenchUsageException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScaleBenchTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

  private int run(String words) {
    return ScaleBench.parse(List.of(words.split(" ")))
        .run(new PrintStream(out, true, UTF_8), new PrintStream(progress, true, UTF_8));
  }

  @Test
  void printsMastersLoadLatenciesTokensAndOverAdmissions() {
    assertThat(run("--nodes 2,3 --rate 2000 --keys 100 --warm-up 20 --measure 50")).isZero();
    assertThat(out.toString(UTF_8))
        .contains("2 nodes", "3 nodes", "masters", "busiest", "p99 ms", "tokens held")
        .contains("No bucket allowed more than its limit.");
    assertThat(progress.toString(UTF_8)).contains("[2/2] 3 nodes, 1 master: 0 %");
  }

  @Test
  void fewerMastersThanNeededAreNotChosen() {
    run("--nodes 4 --rate 100000 --no-leases --keys 100000 --zipf 0 --warm-up 20 --measure 50");
    assertThat(out.toString(UTF_8)).doesNotContain("| 100 %");
    assertThat(progress.toString(UTF_8)).contains("sizing with", " masters: 0 %");
  }

  @Test
  void failsIfTooMuchIsAllowed() {
    assertThat(
            run(
                "--nodes 10 --rate 1500 --keys 1 --zipf 0 --limit 400/10ms --surge 40 --masters 1"
                    + " --without-decay --warm-up 200 --measure 200"))
        .isEqualTo(1);
    assertThat(out.toString(UTF_8)).contains("above their limit: FAILURE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--nodes 0 | --nodes must be a number from 1 to 1000, was 0",
        "--nodes 1,x | --nodes must be a number from 1 to 1000, was x",
        "--nodes 1000 --rate 10001 | at most 10000000 decisions per second",
        "--zipf many | --zipf must be a number from 0 to 3, was many",
        "--limit often | --limit: ",
        "--fast | bench scale does not know --fast",
        "--fast 3 | bench scale does not know --fast",
      })
  void rejectsWrongOptions(String words, String message) {
    assertThatThrownBy(() -> ScaleBench.parse(List.of(words.split(" "))))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining(message);
  }
}
