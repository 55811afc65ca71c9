package dev.redline.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class KillSwitchTest {
  private final StandardEnvironment environment = new StandardEnvironment();
  private final List<Boolean> changes = new ArrayList<>();

  @TempDir Path folder;

  private Path write(String config) throws IOException {
    return Files.writeString(folder.resolve("redline.yaml"), config);
  }

  private KillSwitch start(String config, boolean enabled) throws IOException {
    return new KillSwitch(write(config), environment, enabled, changes::add);
  }

  /** Replaces the file as deployment tools do. */
  private void replace(String config) throws IOException {
    Path next = Files.writeString(folder.resolve("next"), config);
    Files.move(next, folder.resolve("redline.yaml"), StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void followsTheFile() throws IOException {
    KillSwitch killSwitch = start("rl.enabled: true\n", true);
    killSwitch.update();
    assertThat(changes).isEmpty();
    replace("rl:\n  enabled: false\n");
    killSwitch.update();
    killSwitch.update();
    assertThat(changes).containsExactly(false);
    replace("# nothing said\n");
    killSwitch.update();
    assertThat(changes).containsExactly(false, true);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"rl.enabled: maybe\n", "rl.enabled: tru\n", "rl: {enabled: [broken\n", "rl: [\n"})
  void staysAsItIsIfTheFileIsWrong(String config) throws IOException {
    KillSwitch killSwitch = start("rl.enabled: false\n", false);
    replace(config);
    killSwitch.update();
    Files.delete(folder.resolve("redline.yaml"));
    killSwitch.update();
    assertThat(changes).isEmpty();
    replace("rl.enabled: TRUE\n");
    killSwitch.update();
    assertThat(changes).containsExactly(true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"emergency", "[emergency, other]", "!calm"})
  void documentsOfOtherProfilesDoNotCount(String profiles) throws IOException {
    environment.setActiveProfiles("calm");
    String off =
        "---\nspring.config.activate.on-profile: \"" + profiles + "\"\nrl.enabled: false\n";
    String documents = "rl.enabled: true\n" + off.replace("\"[", "[").replace("]\"", "]");
    KillSwitch killSwitch = start(documents, true);
    killSwitch.update();
    assertThat(changes).isEmpty();

    environment.setActiveProfiles("emergency");
    killSwitch.update();
    assertThat(changes).containsExactly(false);
  }

  private boolean isOverridden(Map<String, String> flags, Map<String, String> variables)
      throws IOException {
    Path file = write("rl.enabled: true\n");
    return KillSwitch.isOverridden(
        file, new ServerOptions(flags, variables, Optional.of(file)), environment);
  }

  private void addSource(String name) {
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource(name, Map.of("rl.enabled", "false")));
  }

  @Test
  void strongerSourcesOverrideTheFile() throws IOException {
    assertThat(isOverridden(Map.of(), Map.of())).isFalse();
    assertThat(isOverridden(Map.of("rl.enabled", "true"), Map.of())).isTrue();
    assertThat(isOverridden(Map.of(), Map.of("RL_ENABLED", "true"))).isTrue();
    assertThat(isOverridden(Map.of("rl.enabled", ""), Map.of("RL_ENABLED", " "))).isFalse();

    addSource("Config resource 'file [" + folder.resolve("redline.yaml") + "]' via location 'x'");
    assertThat(isOverridden(Map.of(), Map.of())).isFalse();
    addSource("Config resource 'file [other.yaml]' via location 'file:other.yaml'");
    assertThat(isOverridden(Map.of(), Map.of())).as("an imported file").isTrue();
  }
}
