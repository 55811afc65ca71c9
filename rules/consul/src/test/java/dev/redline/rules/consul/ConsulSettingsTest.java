package dev.redline.rules.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.settings.InvalidSettingsException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsulSettingsTest {
  private static ConsulSettings parse(Map<String, String> properties) {
    FlatProperties reader = new FlatProperties(properties);
    ConsulSettings settings = ConsulSettings.read(reader);
    reader.finish();
    return settings;
  }

  @Test
  void hasDocumentedDefaults() {
    assertThat(parse(Map.of()))
        .isEqualTo(ConsulSettings.standard())
        .isEqualTo(
            new ConsulSettings("http://127.0.0.1:8500", "redline/rules", Optional.empty(), false));
  }

  @Test
  void readsProperties() {
    ConsulSettings settings =
        parse(
            Map.of(
                "rl.consul.uri", "https://consul.example:8501/",
                "rl.consul.path", "/teams/a b/rules",
                "rl.consul.token", "s3cret",
                "rl.consul.recurse", "true"));
    assertThat(settings)
        .isEqualTo(
            new ConsulSettings(
                "https://consul.example:8501", "teams/a b/rules", Optional.of("s3cret"), true));
    assertThat(settings.encodedPath()).isEqualTo("teams/a%20b/rules");
    assertThat(settings.toString()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "consul.example",
        "ftp://consul.example",
        "http://",
        "http://user:s3cret@consul.example",
        "http://consul.example/ui",
        "http://consul.example?dc=s3cret",
        "http://[s3cret"
      })
  void rejectsAddressWithoutShowingIt(String uri) {
    assertThatThrownBy(() -> parse(Map.of("rl.consul.uri", uri)))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessage(
            "rl.consul.uri: the value is not allowed; use http:// or https:// and an address; a"
                + " token goes to rl.consul.token");
  }

  /** The HTTP client would show it in its message: a header field cannot hold it. */
  @ParameterizedTest
  @ValueSource(strings = {"s3\ncret", "s3cret token", "s3crét"})
  void rejectsTokenThatNoHeaderFieldCanHoldWithoutShowingIt(String token) {
    assertThatThrownBy(() -> parse(Map.of("rl.consul.token", token)))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.consul.token")
        .hasMessageNotContaining("s3");
    assertThatThrownBy(
            () -> new ConsulSettings("http://127.0.0.1", "rules", Optional.of(token), false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "rules/"})
  void rejectsPathThatIsNoKey(String path) {
    assertThatThrownBy(() -> parse(Map.of("rl.consul.path", path)))
        .hasMessageContaining("rl.consul.path: '" + path + "' is not allowed");
  }
}
