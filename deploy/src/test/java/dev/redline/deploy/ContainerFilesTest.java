package dev.redline.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Files for containers and systemd: what they name exists. */
class ContainerFilesTest {
  private static final Path CONTAINER = DeployFiles.ROOT.resolve("container");

  @Test
  void composeMountsExistingFilesAndSetsKnownProperties() {
    JsonNode compose = DeployFiles.yaml(DeployFiles.text("container/compose.yaml")).get(0);
    for (JsonNode service : compose.get("services")) {
      for (JsonNode volume : service.path("volumes")) {
        String source = volume.asText().split(":", -1)[0];
        assertThat(
                source.startsWith(".")
                    ? Files.exists(CONTAINER.resolve(source))
                    : compose.get("volumes").has(source))
            .as(source)
            .isTrue();
      }
    }
    JsonNode redline = compose.at("/services/redline");
    assertThat(redline.get("read_only").asBoolean()).isTrue();
    Path context = CONTAINER.resolve(redline.at("/build/context").asText());
    assertThat(context.resolve(redline.at("/build/dockerfile").asText())).exists();
    redline
        .get("environment")
        .properties()
        .forEach(variable -> assertThat(DeployFiles.isKnownVariable(variable.getKey())).isTrue());
  }

  @Test
  void imageHasTheJarAndRunsAsTheUserOfTheManifests() {
    String recipe = DeployFiles.text("container/Containerfile");
    List<String> copied =
        recipe
            .lines()
            .filter(line -> line.startsWith("COPY "))
            .map(line -> line.split(" ", -1)[1])
            .toList();
    assertThat(copied).containsExactly("server/target/redline-server.jar");
    assertThat(DeployFiles.text("container/Containerfile.dockerignore"))
        .contains("!" + copied.get(0));
    int user = KubernetesManifestsTest.manifests().pod().at("/securityContext/runAsUser").asInt();
    assertThat(recipe).contains("\nUSER " + user + ":" + user + "\n");
    assertThat(variables(recipe)).isNotEmpty().allMatch(DeployFiles::isKnownVariable);
  }

  @Test
  void systemdUnitSetsKnownProperties() {
    String unit = DeployFiles.text("systemd/redline.service");
    assertThat(variables(unit)).isNotEmpty().allMatch(DeployFiles::isKnownVariable);
    assertThat(unit).contains("SuccessExitStatus=143", "DynamicUser=yes", "ProtectSystem=strict");
  }

  private static List<String> variables(String text) {
    try (Stream<String> names =
        Pattern.compile("\\bRL_[A-Z_]+(?==)").matcher(text).results().map(match -> match.group())) {
      return names.toList();
    }
  }
}
