package dev.redline.rules.mongo;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.ConfigProvider.Snapshot;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import dev.redline.testkit.RuleSourceContract;
import dev.redline.testkit.RuleSourceUnderTest;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("faults")
class MongoSourceContractTest implements RuleSourceContract {
  @Test
  void runsOnConfiguredDriverVersion() {
    assertThat(MongoClient.class.getProtectionDomain().getCodeSource().getLocation().getPath())
        .endsWith(
            "mongodb-driver-sync-" + System.getProperty("redline.mongodb", "5.14.0") + ".jar");
  }

  @Override
  public RuleSourceUnderTest newSource() {
    return new Subject();
  }

  /** MongoDB holds rules and no text, so the text of the contract is inside a rule. */
  private static final class Subject implements RuleSourceUnderTest {
    private final MongoTestServer server = MongoTestServer.start();
    private final MongoRuleRepository source =
        new MongoRuleRepository(MongoSettings.of(server.uri()));
    private final MongoRuleRepository writer =
        new MongoRuleRepository(MongoSettings.of(server.uri()));
    private long version;

    @Override
    public ConfigProvider source() {
      return source;
    }

    @Override
    public void write(String document) throws IOException {
      Instant now = Instant.ofEpochMilli(1);
      Optional<String> none = Optional.empty();
      String text =
          JsonWriter.of(
              Map.of("rules", List.of(Map.of("id", "a", "metadata", Map.of("text", document)))));
      writer.write(
          version,
          new Revision(++version, text, now, "test", "written"),
          new AuditEntry(now, "test", "update", none, none, none));
    }

    @Override
    public String text(Snapshot snapshot) {
      Document document = snapshot.documents().get(0);
      Map<?, ?> rule = RuleContent.ofText(document.content()).rules().get("a").get(0);
      return (String) ((Map<?, ?>) rule.get("metadata")).get("text");
    }

    @Override
    public boolean remove() {
      try (MongoClient client = MongoClients.create(server.uri())) {
        client.getDatabase("redline").drop();
      }
      version = 0;
      return true;
    }

    @Override
    public boolean disconnect() {
      server.kill();
      return true;
    }

    @Override
    public void reconnect() {
      server.restart();
    }

    @Override
    public void close() {
      source.close();
      writer.close();
      server.close();
    }
  }
}
