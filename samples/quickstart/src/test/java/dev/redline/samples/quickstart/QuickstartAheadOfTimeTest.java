package dev.redline.samples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

/** What a native image is built from. */
class QuickstartAheadOfTimeTest {
  @TempDir Path directory;

  @Test
  void applicationIsProcessedAheadOfTime() {
    Path sources = directory.resolve("sources");
    Path resources = directory.resolve("resources");
    Settings settings =
        Settings.builder()
            .sourceOutput(sources)
            .resourceOutput(resources)
            .classOutput(directory.resolve("classes"))
            .groupId("dev.redline")
            .artifactId("redline-samples-quickstart")
            .build();

    new SpringApplicationAotProcessor(QuickstartApplication.class, settings, new String[0])
        .process();

    assertThat(sources).isDirectoryRecursivelyContaining("glob:**RedlineAutoConfiguration__*.java");
    assertThat(resources)
        .isDirectoryRecursivelyContaining(
            file -> file.getFileName().toString().equals("reachability-metadata.json"));
  }
}
