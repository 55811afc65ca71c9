package dev.redline.rules.consul;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.testkit.RuleSourceContract;
import dev.redline.testkit.RuleSourceUnderTest;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The source contract against a real agent: one key, and a folder. */
@Tag("debian")
@Tag("faults")
class ConsulContractTest {
  private static ConsulAgent agent;

  @BeforeAll
  static void start() throws Exception {
    agent = ConsulAgent.start();
  }

  @AfterAll
  static void stop() {
    agent.close();
  }

  @Nested
  class OneKey implements RuleSourceContract {
    @Override
    public RuleSourceUnderTest newSource() throws Exception {
      return new Subject("rules/one key", false);
    }
  }

  @Nested
  class Folder implements RuleSourceContract {
    @Override
    public RuleSourceUnderTest newSource() throws Exception {
      return new Subject("rules/folder", true);
    }
  }

  private static final class Subject implements RuleSourceUnderTest {
    private final String key;
    private final ConsulConfigProvider source;

    Subject(String path, boolean recurse) throws Exception {
      String written = path.replace(" ", "%20");
      this.key = recurse ? written + "/rules.yaml" : written;
      this.source =
          new ConsulConfigProvider(
              new ConsulSettings(agent.uri(), path, Optional.of(ConsulAgent.ROOT), recurse));
      agent.delete(written);
    }

    @Override
    public ConfigProvider source() {
      return source;
    }

    @Override
    public void write(String document) throws Exception {
      agent.put(key, document);
    }

    @Override
    public boolean remove() throws Exception {
      agent.delete(key);
      return true;
    }

    /** Consul accepts values of up to 512 KiB. */
    @Override
    public int largestDocument() {
      return 512 << 10;
    }

    @Override
    public boolean disconnect() {
      agent.kill();
      return true;
    }

    @Override
    public void reconnect() throws Exception {
      agent.restart();
    }

    @Override
    public void close() {
      source.close();
    }
  }
}
