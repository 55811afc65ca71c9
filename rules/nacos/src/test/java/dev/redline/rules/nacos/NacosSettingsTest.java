package dev.redline.rules.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.settings.InvalidSettingsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NacosSettingsTest {
  private static NacosSettings parse(Map<String, String> properties) {
    FlatProperties reader = new FlatProperties(properties);
    NacosSettings settings = NacosSettings.read(reader);
    reader.finish();
    return settings;
  }

  @Test
  void hasDocumentedDefaults() {
    assertThat(parse(Map.of()))
        .isEqualTo(NacosSettings.of("127.0.0.1:8848"))
        .isEqualTo(
            new NacosSettings(
                List.of("http://127.0.0.1:8848/nacos"),
                "public",
                "DEFAULT_GROUP",
                "redline-rules",
                Optional.empty(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(2)));
  }

  @Test
  void readsProperties() {
    NacosSettings settings =
        parse(
            Map.of(
                "rl.nacos.addr", "a.example:8848, https://b.example/config/",
                "rl.nacos.namespace", "dev",
                "rl.nacos.group", "g",
                "rl.nacos.data-id", "d",
                "rl.nacos.username", "u",
                "rl.nacos.password", "s3cret",
                "rl.nacos.poll-interval", "7s",
                "rl.nacos.timeout", "900ms"));
    assertThat(settings.servers())
        .containsExactly("http://a.example:8848/nacos", "https://b.example/config");
    assertThat(settings.login()).hasValue(new NacosSettings.Login("u", "s3cret"));
    assertThat(settings.namespace()).isEqualTo("dev");
    assertThat(settings.pollInterval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(900));
    assertThat(settings.toString()).doesNotContain("s3cret");
    assertThat(settings.login().toString()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://a",
        "http://",
        "http://u:s3cret@a:8848",
        "http://a?s3cret",
        "[s3cret",
        "a b"
      })
  void rejectsAddressWithoutShowingIt(String address) {
    assertThatThrownBy(() -> parse(Map.of("rl.nacos.addr", address)))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageStartingWith("rl.nacos.addr: the value is not allowed; use host:port")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void userAndPasswordBelongTogether() {
    assertThatThrownBy(() -> parse(Map.of("rl.nacos.username", "u")))
        .hasMessageStartingWith("rl.nacos.password: ");
    assertThatThrownBy(() -> parse(Map.of("rl.nacos.password", "s3cret")))
        .hasMessageStartingWith("rl.nacos.username: ")
        .hasMessageNotContaining("s3cret");
  }
}
