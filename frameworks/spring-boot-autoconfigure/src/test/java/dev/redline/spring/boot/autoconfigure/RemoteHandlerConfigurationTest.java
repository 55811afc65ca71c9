package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.redline.application.ChosenHandler;
import dev.redline.binding.InvalidBindingException;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.store.StorageProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** {@code rl.handler=REMOTE} in a Spring application. */
class RemoteHandlerConfigurationTest {
  private static final String RULES =
      "{\"rules\":[{\"id\":\"taken\",\"limit\":\"1/s\"}],\"plans\":[{\"id\":\"gold\",\"limit\":\"1/s\"},"
          + "{\"id\":\"daily\",\"limit\":\"9/d\"}]}";
  private static final String DENIED =
      "{\"decisions\":[{\"allowed\":false,\"reason\":\"LIMIT_EXCEEDED\",\"retryAfterMs\":1000}]}";

  private final List<String> checks = new CopyOnWriteArrayList<>();
  private volatile String decisions = DENIED;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          boolean rules = exchange.getRequestURI().getPath().equals("/v1/rules");
          if (!rules) {
            checks.add(body);
          }
          byte[] response = (rules ? RULES : decisions).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, response.length);
          exchange.getResponseBody().write(response);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                RedlineAutoConfiguration.class,
                RedlineMethodAutoConfiguration.class,
                RedlineActuatorAutoConfiguration.class))
        .withPropertyValues(
            "rl.handler=remote",
            "rl.remote.uri=http://127.0.0.1:" + server.getAddress().getPort(),
            "rl.remote.timeout=20s");
  }

  /** Limits that a server can decide. */
  static class Shop {
    @RateLimit(value = "2/m", key = "#user")
    String buy(String user) {
      return user;
    }

    @RateLimit(plan = "gold", key = "#user")
    @RateLimit(plan = "daily", key = "#user")
    String sell(String user) {
      return user;
    }
  }

  /** Limits with different keys. */
  static class TwoKeys {
    @RateLimit(plan = "gold", key = "#user")
    @RateLimit(plan = "daily", key = "ip")
    String sell(String user) {
      return user;
    }
  }

  /** A limit with the id of a rule of the server. */
  static class SameId {
    @RateLimit(value = "2/m", id = "taken")
    String sell() {
      return "";
    }
  }

  @Test
  void theServerDecidesForTheEngineAndForAnnotations() {
    runner()
        .withBean(Shop.class)
        .run(
            context -> {
              RateLimitEngine engine = context.getBean(RateLimitEngine.class);
              RateLimitResult result = engine.check(RequestContext.builder().path("/x").build());
              assertThat(result.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
              assertThat(result.degraded()).isFalse();
              assertThat(context.getBean(ChosenHandler.class).handler()).isSameAs(engine);
              Shop shop = context.getBean(Shop.class);
              assertThatThrownBy(() -> shop.buy("alice"))
                  .isInstanceOf(RateLimitExceededException.class);
              assertThatThrownBy(() -> shop.sell("alice"))
                  .isInstanceOf(RateLimitExceededException.class);
              String bands =
                  "\"bands\":[{\"label\":\"Shop.buy\",\"capacity\":2,\"refillTokens\":2,"
                      + "\"refillPeriod\":\"PT1M\"}]";
              assertThat(checks.get(0))
                  .as("the call that connects")
                  .isEqualTo("{\"checks\":[{\"request\":{},\"dryRun\":true}]}");
              assertThat(checks.get(1))
                  .as("the check of limits at the start")
                  .startsWith("{\"checks\":[{\"ruleId\":\"Shop.buy\",\"identity\":[")
                  .endsWith(bands + ",\"dryRun\":true}]}");
              assertThat(checks.subList(2, checks.size()))
                  .containsExactly(
                      "{\"checks\":[{\"request\":{\"path\":\"/x\"}}]}",
                      "{\"checks\":[{\"ruleId\":\"Shop.buy\",\"identity\":[\"n:alice\"],"
                          + bands
                          + "}]}",
                      "{\"checks\":[{\"plans\":[\"gold\",\"daily\"],\"key\":\"alice\"}]}");
            });
  }

  @Test
  void severalLimitsWithDifferentKeysStopTheStart() {
    runner()
        .withBean(TwoKeys.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .isInstanceOf(InvalidBindingException.class)
                    .hasMessageContaining("TwoKeys.sell(String)")
                    .hasMessageContaining("same key and tokens"));
  }

  @Test
  void limitsThatTheServerDoesNotTakeStopTheStart() {
    decisions =
        "{\"decisions\":[{\"error\":{\"status\":400,\"title\":\"Bad Request\",\"detail\":\"field 'bands':"
            + " limits are not taken from requests unless rl.server.inline-limits is true\"}}]}";
    runner()
        .withBean(Shop.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .isInstanceOf(InvalidBindingException.class)
                    .hasMessageContaining("Shop.buy(String)")
                    .hasMessageContaining("set rl.server.inline-limits=true on the server"));
  }

  @Test
  void anIdOfTheServersRulesStopsTheStart() {
    runner()
        .withBean(SameId.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .isInstanceOf(InvalidBindingException.class)
                    .hasMessageContaining("'taken'")
                    .hasMessageContaining("set another id"));
  }

  @Test
  void aStoreOfTheApplicationWouldHaveNoEffect() {
    runner()
        .withBean(StorageProvider.class, LocalStore::new)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("StorageProvider"));
  }

  @Test
  void unknownPlansOfTheServerStopTheStart() {
    runner()
        .withBean(UnknownPlan.class)
        .run(context -> assertThat(context).getFailure().hasMessageContaining("bronze"));
  }

  /** A plan that the server does not have. */
  static class UnknownPlan {
    @RateLimit(plan = "bronze")
    String sell() {
      return "";
    }
  }
}
