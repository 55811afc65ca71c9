package dev.redline.rules.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PluginFactory.Creator;
import dev.redline.core.spi.PluginFactory.PluginContext;
import dev.redline.core.store.MicrosClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RemoteConfigProviderTest {
  private static final String SECRET = "a-very-secret-token";

  private RulesStub stub;
  private RemoteConfigProvider source;

  @BeforeEach
  void start() throws IOException {
    stub = new RulesStub();
    source = new RemoteConfigProvider(new ServerAddress(stub.uri(), Optional.of(SECRET)));
  }

  @AfterEach
  void stop() {
    source.close();
    stub.close();
  }

  @Test
  void anUnchangedDocumentIsNotSentAgain() throws Exception {
    stub.document("rules: []");
    String version = source.load().orElseThrow().version();
    assertThat(source.load().orElseThrow().version()).isEqualTo(version);
    source.awaitChange(Duration.ofSeconds(1));
    assertThat(stub.statuses()).startsWith(200, 304, 304).doesNotContain(503);
    stub.document("rules: [] # other");
    assertThat(source.load().orElseThrow().version()).isNotEqualTo(version);
  }

  @Test
  void sendsTheTokenAndNamesThePropertyIfItIsRejected() {
    AtomicReference<String> sent = new AtomicReference<>();
    for (int status : List.of(401, 403)) {
      stub.responder(
          exchange -> {
            sent.set(exchange.getRequestHeaders().getFirst("Authorization"));
            RulesStub.send(exchange, status, "");
          });
      assertThatThrownBy(() -> source.load())
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(source.name())
          .hasMessageContaining("rl.config.remote.token")
          .hasMessageNotContaining(SECRET);
      assertThat(sent.get()).isEqualTo("Bearer " + SECRET);
    }
  }

  @Test
  void aRevokedTokenEndsTheWaitWithAnError() throws Exception {
    stub.document("rules: []");
    source.load();
    stub.responder(exchange -> RulesStub.send(exchange, 401, ""));
    assertThatThrownBy(() -> source.awaitChange(Duration.ofMinutes(1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("401");
  }

  @Test
  void responsesOfOtherServersAreErrors() {
    stub.responder(exchange -> RulesStub.send(exchange, 404, "nothing here"));
    assertThatThrownBy(() -> source.load())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("404")
        .hasMessageContaining("nothing here");
    stub.responder(
        exchange -> {
          exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/v1/rules");
          RulesStub.send(exchange, 302, "");
        });
    assertThatThrownBy(() -> source.load()).hasMessageContaining("302");
    stub.responder(exchange -> RulesStub.send(exchange, 503, "overloaded"));
    assertThatThrownBy(() -> source.load()).hasMessageContaining("503");
    stub.responder(
        exchange -> {
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write(new byte[] {(byte) 0xc3, (byte) 0x28});
        });
    assertThatThrownBy(() -> source.load()).hasMessageContaining("UTF-8");
  }

  @Test
  void aServerWithoutTagsIsPolled() throws Exception {
    stub.responder(exchange -> RulesStub.send(exchange, 200, "rules: []"));
    assertThat(source.load()).isPresent();
    source.awaitChange(Duration.ofMillis(900));
    assertThat(stub.statuses()).containsExactly(200);
  }

  @Test
  void whatIsNotSetIsAsForTheServerThatDecides() throws Exception {
    assertThat(sentToken(Map.of("rl.config.remote.token", SECRET), Optional.of("of-the-caller")))
        .isEqualTo("Bearer " + SECRET);
    assertThat(sentToken(Map.of(), Optional.of("of-the-caller"))).isEqualTo("Bearer of-the-caller");
    assertThat(sentToken(Map.of(), Optional.empty())).isNull();
    // A token is for one server alone.
    ServerAddress other = new ServerAddress("http://localhost:1", Optional.of("of-another"));
    assertThat(sentToken(Map.of("rl.config.remote.uri", stub.uri()), other)).isNull();
  }

  @Test
  void rejectsWrongPropertiesWithoutShowingSecrets() {
    assertThatThrownBy(() -> create(Map.of(), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rl.config.remote.uri");
    assertThatThrownBy(
            () ->
                create(
                    Map.of(
                        "rl.config.remote.uri",
                        "http://u:" + SECRET + "@x",
                        "rl.config.remote.token",
                        SECRET + " " + SECRET),
                    null))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.config.remote.uri")
        .hasMessageContaining("rl.config.remote.token")
        .hasMessageNotContaining(SECRET);
    assertThat(new ServerAddress("http://x", Optional.of(SECRET)).toString())
        .doesNotContain(SECRET);
  }

  private String sentToken(Map<String, String> properties, Optional<String> callerToken)
      throws IOException {
    return sentToken(properties, new ServerAddress(stub.uri(), callerToken));
  }

  private String sentToken(Map<String, String> properties, ServerAddress deciding)
      throws IOException {
    AtomicReference<String> sent = new AtomicReference<>();
    stub.responder(
        exchange -> {
          sent.set(exchange.getRequestHeaders().getFirst("Authorization"));
          RulesStub.send(exchange, 200, "rules: []");
        });
    try (ConfigProvider created = create(properties, deciding)) {
      assertThat(created.load()).isPresent();
    }
    return sent.get();
  }

  private static ConfigProvider create(Map<String, String> properties, ServerAddress deciding) {
    FlatProperties reader = new FlatProperties(properties);
    Creator<ConfigProvider> creator = new RemoteSourceFactory().read(reader, true);
    reader.finish();
    return creator.create(
        new PluginContext() {
          @Override
          public MicrosClock clock() {
            return MicrosClock.monotonic();
          }

          @Override
          public long maxKeys() {
            return 1;
          }

          @Override
          public <T> Optional<T> find(Class<T> type) {
            return Optional.ofNullable(deciding).map(type::cast);
          }
        });
  }
}
