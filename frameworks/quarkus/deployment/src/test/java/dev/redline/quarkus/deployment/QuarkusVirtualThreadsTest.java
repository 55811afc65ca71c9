package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.core.RateLimit;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import io.quarkus.resteasy.reactive.server.spi.TargetJavaVersionBuildItem;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.Context;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.net.URI;
import org.jboss.resteasy.reactive.common.processor.TargetJavaVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limited methods on virtual threads, which wait for a remote store. */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads need JDK 21")
class QuarkusVirtualThreadsTest {
  private static final String PORT = "redline.test.redis-port";

  /** Is in the class of JUnit alone; the one of the application has the port. */
  private static RedisServer redis;

  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(VirtualResource.class))
          // Tests are compiled for JDK 17, which Quarkus would reject.
          .addBuildChainCustomizer(
              chain ->
                  chain
                      .addBuildStep(
                          context ->
                              context.produce(
                                  new TargetJavaVersionBuildItem(
                                      () -> TargetJavaVersion.Status.TRUE)))
                      .produces(TargetJavaVersionBuildItem.class)
                      .build())
          .setBeforeAllCustomizer(QuarkusVirtualThreadsTest::startRedis)
          .setAfterAllCustomizer(QuarkusVirtualThreadsTest::stopRedis)
          .overrideRuntimeConfigKey("rl.storage.type", "REDIS")
          .overrideRuntimeConfigKey("rl.redis.uri", "redis://127.0.0.1:${" + PORT + "}")
          .overrideRuntimeConfigKey("rl.redis.command-timeout", "60s");

  @TestHTTPResource URI base;
  @Inject RedlineAssembly assembly;

  private static void startRedis() {
    redis = RedisServer.start(RedisBinary.any());
    System.setProperty(PORT, Integer.toString(redis.port()));
  }

  private static void stopRedis() {
    redis.close();
    System.clearProperty(PORT);
  }

  /** Says where its methods run. */
  @Path("/")
  public static class VirtualResource {
    @GET
    @Path("limited")
    @RunOnVirtualThread
    @RateLimit(value = "1000000/s", key = "'all'")
    public String limited() {
      return where();
    }

    @GET
    @Path("once")
    @RunOnVirtualThread
    @RateLimit(value = "1/h", key = "'all'")
    public String once() {
      return where();
    }

    @GET
    @Path("unlimited")
    @RunOnVirtualThread
    public String unlimited() {
      return where();
    }

    private static String where() {
      return Thread.currentThread().getClass().getSimpleName()
          + ", blocking allowed "
          + BlockingOperationControl.isBlockingAllowed()
          + ", event loop "
          + Context.isOnEventLoopThread();
    }
  }

  @Test
  void limitedMethodRunsOnAVirtualThreadAndWaitsThereForTheStore() {
    LoopbackClient client = new LoopbackClient(base);

    Response limited = client.get("/limited");

    assertThat(limited.status()).as(limited.toString()).isEqualTo(200);
    assertThat(limited.body())
        .isEqualTo(client.get("/unlimited").body())
        .isEqualTo("VirtualThread, blocking allowed true, event loop false");
    assertThat(limited.headers()).containsKey("X-RateLimit-Remaining");
    assertThat(assembly.health().details()).containsEntry("degraded", false);
  }

  @Test
  void deniedCallIsADenial() {
    LoopbackClient client = new LoopbackClient(base);
    assertThat(client.get("/once").status()).isEqualTo(200);
    assertThat(client.get("/once").status()).isEqualTo(429);
  }
}
