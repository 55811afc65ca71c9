package dev.redline.rules.redis;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.testkit.RuleSourceContract;
import dev.redline.testkit.RuleSourceUnderTest;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("faults")
class RedisSourceContractTest implements RuleSourceContract {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start(RedisBinary.any());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  public RuleSourceUnderTest newSource() {
    server.command("FLUSHALL");
    return new Subject();
  }

  private static final class Subject implements RuleSourceUnderTest {
    private final FaultProxy proxy = FaultProxy.to(server);
    private final RedisRuleRepository source =
        new RedisRuleRepository(RedisConnectionSettings.of(proxy.uri()), "rl");
    private final RedisRuleRepository writer =
        new RedisRuleRepository(RedisConnectionSettings.of(server.uri()), "rl");
    private long version;

    @Override
    public ConfigProvider source() {
      return source;
    }

    @Override
    public void write(String document) throws IOException {
      Instant now = Instant.ofEpochMilli(1);
      Optional<String> none = Optional.empty();
      writer.write(
          version,
          new Revision(++version, document, now, "test", "written"),
          new AuditEntry(now, "test", "update", none, none, none));
    }

    @Override
    public boolean remove() {
      server.command("FLUSHALL");
      version = 0;
      return true;
    }

    @Override
    public boolean disconnect() {
      proxy.stall();
      proxy.resetConnections();
      return true;
    }

    @Override
    public void reconnect() {
      proxy.resume();
    }

    @Override
    public void close() {
      source.close();
      writer.close();
      proxy.close();
    }
  }
}
