package dev.redline.samples.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

/** What a native image of a gateway is built from. */
class GatewaySampleAheadOfTimeTest {
  @TempDir Path directory;

  @Test
  void applicationIsProcessedAheadOfTime() {
    process();

    assertThat(directory.resolve("sources"))
        .isDirectoryRecursivelyContaining("glob:**RedlineGatewayAutoConfiguration__*.java");
    // The process that builds the image ends only if the upstream has no thread.
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("HTTP-Dispatcher");
  }

  @Test
  void argumentsOfRoutesCanBeBound() {
    process();

    Path metadata = Path.of("META-INF/native-image/dev.redline/sample/reachability-metadata.json");
    assertThat(directory.resolve("resources").resolve(metadata))
        .content()
        .contains("RedlineGatewayFilterFactory$RuleSetChoice", "RedlineRateLimiter$Config");
  }

  private void process() {
    Settings settings =
        Settings.builder()
            .sourceOutput(directory.resolve("sources"))
            .resourceOutput(directory.resolve("resources"))
            .classOutput(directory.resolve("classes"))
            .groupId("dev.redline")
            .artifactId("sample")
            .build();
    new SpringApplicationAotProcessor(GatewaySampleApplication.class, settings, new String[0])
        .process();
  }
}
