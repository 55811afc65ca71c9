package dev.redline.rules.nacos;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.testkit.RuleSourceContract;
import dev.redline.testkit.RuleSourceUnderTest;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;

/** The source contract against a real server. */
class NacosContractTest implements RuleSourceContract {
  private static final AtomicInteger COUNT = new AtomicInteger();

  @Override
  public RuleSourceUnderTest newSource() throws Exception {
    return new Subject(NacosServer.shared(), "contract-" + COUNT.incrementAndGet());
  }

  private static final class Subject implements RuleSourceUnderTest {
    private final NacosServer server;
    private final String dataId;
    private final TcpGate gate;
    private final NacosConfigProvider source;

    Subject(NacosServer server, String dataId) throws IOException {
      this.server = server;
      this.dataId = dataId;
      this.gate = new TcpGate(server.port());
      this.source =
          new NacosConfigProvider(
              NacosSettings.of("127.0.0.1:" + gate.port())
                  .withLogin("nacos", "nacos")
                  .withDocument("public", "DEFAULT_GROUP", dataId));
    }

    @Override
    public ConfigProvider source() {
      return source;
    }

    @Override
    public void write(String document) throws Exception {
      server.publish("public", dataId, document);
      server.awaitVisible(dataId, document);
    }

    @Override
    public boolean remove() throws Exception {
      server.remove("public", dataId);
      server.awaitGone(dataId);
      return true;
    }

    /** Nacos accepts documents of up to 10 MiB, but its form parser less. */
    @Override
    public int largestDocument() {
      return 1 << 20;
    }

    @Override
    public boolean disconnect() {
      gate.shut();
      return true;
    }

    @Override
    public void reconnect() {
      gate.open();
    }

    @Override
    public void close() throws IOException {
      source.close();
      gate.close();
    }
  }
}
