package dev.redline.rules.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.settings.InvalidSettingsException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MongoSettingsTest {
  private static AssemblySettings parse(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("rl.config.source", "MONGO");
    return AssemblySettings.parse(
        properties, Plugins.load(MongoSettingsTest.class.getClassLoader()), HostProfile.service());
  }

  @Test
  void defaultsAreThoseOfTheDocumentation() {
    MongoSettings settings = MongoSettings.of("mongodb://127.0.0.1");
    assertThat(settings.database()).isEqualTo("redline");
    assertThat(settings.collection()).isEqualTo("rate_limit_rules");
    assertThat(settings.pollInterval()).isEqualTo(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mongo://user:s3cret@host",
        "mongodb://user:s3cret@host:port",
        "mongodb://user:s3/cret@host",
        "s3cret"
      })
  void rejectsWrongUriWithoutShowingIt(String uri) {
    assertThatThrownBy(() -> parse(Map.of("rl.mongo.uri", uri)))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.mongo.uri")
        .hasMessageContaining("mongodb://")
        .hasMessageNotContaining("cret");
    assertThatThrownBy(() -> MongoSettings.of(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("cret");
  }

  @Test
  void rejectsWrongNames() {
    assertThatThrownBy(
            () ->
                parse(
                    Map.of(
                        "rl.mongo.uri", "mongodb://h",
                        "rl.mongo.database", "a.b",
                        "rl.mongo.collection", "a$b",
                        "rl.mongo.poll-interval", "soon")))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.mongo.database")
        .hasMessageContaining("rl.mongo.collection")
        .hasMessageContaining("rl.mongo.poll-interval");
  }

  @Test
  void demandsUriOrClientWhenChosen() {
    AssemblySettings settings = parse(Map.of());
    assertThatThrownBy(() -> RedlineAssembly.builder(settings).start())
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.mongo.uri is missing");
  }

  @Test
  void allStrategiesArePossible() {
    for (String strategy : List.of("POLLING", "WATCH", "REDIS_PUBSUB")) {
      parse(Map.of("rl.mongo.uri", "mongodb://h", "rl.reload.strategy", strategy));
    }
  }

  @Test
  void showsNoUri() {
    assertThat(MongoSettings.of("mongodb://user:s3cret@h").toString()).doesNotContain("cret");
  }
}
