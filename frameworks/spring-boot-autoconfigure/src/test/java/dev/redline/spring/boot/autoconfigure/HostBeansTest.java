package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.settings.InvalidSettingsException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Stores and sources that use clients of the application. */
class HostBeansTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(RedlineAutoConfiguration.class));

  private static RequestContext request() {
    return RequestContext.builder().path("/x").clientIp("192.0.2.1").build();
  }

  private ApplicationContextRunner withRule() {
    return runner.withPropertyValues("rl.rules[0].id=all", "rl.rules[0].limit=2/d");
  }

  @Test
  void hazelcastStoreUsesInstanceOfTheApplicationAndLeavesItRunning() {
    Config config = new Config().setClusterName("spring-" + UUID.randomUUID());
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    HazelcastInstance instance = Hazelcast.newHazelcastInstance(config);
    try {
      withRule()
          .withBean(HazelcastInstance.class, () -> instance, bean -> bean.setDestroyMethodName(""))
          .withPropertyValues("rl.storage.type=HAZELCAST", "rl.hazelcast.timeout=5s")
          .run(
              context -> {
                RateLimitEngine engine = context.getBean(RateLimitEngine.class);
                assertThat(engine.check(request()).reason()).isEqualTo(Reason.ALLOWED);
                assertThat(instance.getDistributedObjects())
                    .anySatisfy(object -> assertThat(object.getName()).startsWith("redline-"));
              });
      assertThat(instance.getLifecycleService().isRunning()).isTrue();
    } finally {
      instance.shutdown();
    }
  }

  @Test
  void jdbcStoreUsesDataSourceOfTheApplication() {
    AtomicInteger connections = new AtomicInteger();
    DataSource source =
        (DataSource)
            Proxy.newProxyInstance(
                HostBeansTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("getConnection")) {
                    connections.incrementAndGet();
                    throw new SQLException("there is no database here");
                  }
                  return method.getName().equals("hashCode") ? (Object) 1 : null;
                });
    withRule()
        .withBean(DataSource.class, () -> source)
        .withPropertyValues("rl.storage.type=JDBC")
        .run(
            context -> {
              RedlineAssembly assembly = context.getBean(RedlineAssembly.class);
              assertThat(assembly.store().type()).isEqualTo("jdbc");
              assertThat(connections.get()).isPositive();
              assertThat(assembly.engine().check(request()).reason())
                  .isEqualTo(Reason.LOCAL_FALLBACK);
            });
  }

  @Test
  void mongoSourceUsesClientOfTheApplicationAndLeavesItOpen() {
    MongoServer server = new MongoServer(new MemoryBackend());
    server.enableOplog();
    try (MongoClient client = MongoClients.create(server.bindAndGetConnectionString())) {
      client
          .getDatabase("redline")
          .getCollection("rate_limit_rules")
          .insertOne(new Document("_id", "from-mongo").append("limit", "2/d"));
      runner
          .withBean(MongoClient.class, () -> client, bean -> bean.setDestroyMethodName(""))
          .withPropertyValues("rl.config.source=MONGO")
          .run(
              context ->
                  assertThat(context.getBean(RateLimitEngine.class).check(request()).ruleId())
                      .hasValue("from-mongo"));
      assertThat(client.getDatabase("redline").listCollectionNames()).isNotEmpty();
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void twoClientsNeedAProperty() {
    runner
        .withBean("one", MongoClient.class, () -> MongoClients.create("mongodb://127.0.0.1:1"))
        .withBean("two", MongoClient.class, () -> MongoClients.create("mongodb://127.0.0.1:1"))
        .withPropertyValues("rl.config.source=MONGO")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("rl.mongo.uri is missing"));
  }
}
