package dev.redline.rules.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Responses that a real agent sends rarely, or never. */
class ConsulProtocolTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private KvStub stub;
  private ConsulConfigProvider source;

  @BeforeEach
  void start() throws IOException {
    stub = new KvStub();
    source =
        new ConsulConfigProvider(
            new ConsulSettings(stub.uri(), "redline/rules", Optional.empty(), false));
  }

  @AfterEach
  void stop() {
    stub.close();
  }

  private void answer(int status, String index, String body) {
    stub.answer(exchange -> KvStub.send(exchange, status, index, body));
  }

  @Test
  void forgetsAnIndexThatGoesBack() throws Exception {
    answer(200, "500", KvStub.entry("redline/rules", "rules: []"));
    source.load();
    source.awaitChange(LONG);
    answer(200, "7", KvStub.entry("redline/rules", "rules: []"));
    source.awaitChange(LONG);
    int before = stub.requests().size();
    source.awaitChange(LONG);
    assertThat(stub.requests()).as("there is no index to wait for").hasSize(before);

    source.load();
    source.awaitChange(LONG);
    assertThat(stub.requests())
        .containsExactly(
            "/v1/kv/redline/rules",
            "/v1/kv/redline/rules?index=500&wait=10000ms",
            "/v1/kv/redline/rules?index=500&wait=10000ms",
            "/v1/kv/redline/rules",
            "/v1/kv/redline/rules?index=7&wait=10000ms");
  }

  @Test
  void doesNotWaitOnAMissingOrMalformedIndex() throws Exception {
    for (String index : new String[] {"", "0", "many", "-"}) {
      answer(200, index, KvStub.entry("redline/rules", "rules: []"));
      source.load();
      int before = stub.requests().size();
      source.awaitChange(LONG);
      assertThat(stub.requests()).hasSize(before);
    }
  }

  @Test
  void reportsAnAgentWithoutLeader() {
    answer(500, "", "No cluster leader\n");
    assertThatThrownBy(source::load)
        .isInstanceOf(IOException.class)
        .hasMessage("Consul redline/rules: Consul answered 500: No cluster leader");
  }

  @Test
  void rejectsResponsesThatAreNotThoseOfConsul() {
    for (String body :
        new String[] {"<html>", "{}", "[1]", "[{\"Key\":\"k\",\"Value\":\"%%%\"}]"}) {
      answer(200, "1", body);
      assertThatThrownBy(source::load)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("Consul redline/rules: the answer is not that of Consul: ");
    }
    answer(200, "1", "[{\"Key\":\"k\",\"Value\":\"/w==\"}]");
    assertThatThrownBy(source::load).hasMessageContaining("the value of k is not a UTF-8 text");
  }

  @Test
  void failsWaitOnErrors() throws Exception {
    answer(200, "5", KvStub.entry("redline/rules", "rules: []"));
    source.load();
    answer(403, "", "Permission denied");
    assertThatThrownBy(() -> source.awaitChange(LONG))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("access denied (403)");
    answer(302, "", "");
    assertThatThrownBy(() -> source.awaitChange(LONG)).hasMessageContaining("answered 302");
  }

  @Test
  void emptyValueIsAnEmptyDocument() throws Exception {
    answer(200, "5", "[{\"Key\":\"redline/rules\",\"Value\":null}]");
    assertThat(source.load().orElseThrow().documents().get(0).content()).isEmpty();
  }
}
