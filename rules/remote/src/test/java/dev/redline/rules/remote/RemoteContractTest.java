package dev.redline.rules.remote;

import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.testkit.RuleSourceContract;
import dev.redline.testkit.RuleSourceUnderTest;
import java.io.IOException;
import java.util.Optional;

class RemoteContractTest implements RuleSourceContract {
  @Override
  public RuleSourceUnderTest newSource() throws Exception {
    return new Subject();
  }

  private static final class Subject implements RuleSourceUnderTest {
    private final RulesStub stub = new RulesStub();
    private final RemoteConfigProvider source =
        new RemoteConfigProvider(new ServerAddress(stub.uri(), Optional.of("a-token")));

    Subject() throws IOException {}

    @Override
    public ConfigProvider source() {
      return source;
    }

    @Override
    public void write(String document) {
      stub.document(document);
    }

    /** The rules of a server are never removed: it keeps the last good ones. */
    @Override
    public boolean remove() {
      return false;
    }

    @Override
    public boolean disconnect() {
      stub.stop();
      return true;
    }

    @Override
    public void reconnect() throws Exception {
      stub.start();
    }

    @Override
    public void close() {
      source.close();
      stub.close();
    }
  }
}
