package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.key.RequestContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Limits on beans that are no endpoints, in one application with validation and metrics. */
class QuarkusBeansTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClasses(QuarkusBeansTest.class))
          .overrideRuntimeConfigKey("rl.plans[0].id", "gold")
          .overrideRuntimeConfigKey("rl.plans[0].limit", "1/h");

  @Inject Orders orders;
  @Inject Shop shop;
  @Inject Store store;
  @Inject Tenants tenants;
  @Inject RateLimitEngine engine;
  @Inject MeterRegistry meters;

  /** A limit for each kind of result. */
  @ApplicationScoped
  public static class Orders {
    @RateLimit(value = "1/h", key = "#name")
    String plain(String name) {
      return name;
    }

    String callsItself(String name) {
      return plain(name);
    }

    @RateLimit(value = "2/h", key = "'one'")
    Uni<String> uni() {
      return Uni.createFrom().item("done");
    }

    @RateLimit(value = "1/h", key = "'one'")
    Multi<Integer> multi() {
      return Multi.createFrom().items(1, 2);
    }

    @RateLimit(value = "1/h", key = "'one'")
    CompletionStage<String> stage() {
      return CompletableFuture.completedFuture("done");
    }

    @RateLimit(plan = "gold", key = "#name")
    String plan(String name) {
      return name;
    }

    @RateLimit(value = "1/h", key = "tenants")
    String byResolver() {
      return "";
    }

    @RateLimit(value = "1/h", key = "'one'")
    String validated(@NotNull String name) {
      return name;
    }

    @io.smallrye.faulttolerance.api.RateLimit(value = 1, window = 1)
    String ofFaultTolerance() {
      return "";
    }
  }

  @Singleton
  @Named("tenants")
  public static class Tenants implements KeyResolver {
    volatile String current = "a";

    @Override
    public String resolve(RequestContext request) {
      return current;
    }
  }

  /** An annotation that limits. */
  @Retention(RetentionPolicy.RUNTIME)
  @RateLimit(value = "1/h", key = "#p0")
  @interface OnceAnHour {}

  /** Limits on an interface, a superclass with a type parameter, and by another annotation. */
  interface Buying {
    @RateLimit(value = "1/h", key = "#p0", id = "buying")
    String buy(String name);
  }

  abstract static class Selling<T> {
    @RateLimit(value = "1/h", key = "#p0", id = "selling")
    public String sell(T thing) {
      return "sold " + thing;
    }
  }

  @ApplicationScoped
  public static class Shop extends Selling<String> implements Buying {
    @Override
    public String buy(String name) {
      return name;
    }

    @OnceAnHour
    String visit(String name) {
      return name;
    }
  }

  /** A limit on the class, which one method has not. */
  @RateLimit(value = "1/h", key = "'one'")
  abstract static class Limited<T> {
    public T get(T value) {
      return value;
    }
  }

  @ApplicationScoped
  public static class Store extends Limited<String> {
    @Override
    public String get(String value) {
      return value;
    }

    @RateLimit.None
    public String free(String value) {
      return value;
    }
  }

  private static void assertDenied(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
  }

  @Test
  void limitsEachKeyAloneAndAlsoCallsWithinABean() {
    orders.plain("a");
    assertDenied(() -> orders.plain("a"));
    assertDenied(() -> orders.callsItself("a"));
    assertThat(orders.plain("b")).isEqualTo("b");
  }

  @Test
  void eachSubscriptionOfAUniIsDecided() {
    Uni<String> uni = orders.uni();
    assertThat(uni.await().indefinitely()).isEqualTo("done");
    assertThat(uni.await().indefinitely()).isEqualTo("done");
    assertDenied(() -> uni.await().indefinitely());
  }

  @Test
  void deniedMultiAndStageFail() {
    assertThat(orders.multi().collect().asList().await().indefinitely()).containsExactly(1, 2);
    assertDenied(() -> orders.multi().collect().asList().await().indefinitely());
    assertThat(orders.stage().toCompletableFuture().join()).isEqualTo("done");
    assertThatThrownBy(() -> orders.stage().toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(RateLimitExceededException.class);
  }

  @Test
  void planAndKeyAreOneBucketWhereverTheyAreUsed() {
    orders.plan("a");
    assertThat(engine.plan("gold").tryAcquire("a")).isFalse();
    assertThat(engine.plan("gold").tryAcquire("b")).isTrue();
    assertDenied(() -> orders.plan("b"));
  }

  @Test
  void keyResolverOfTheApplicationTellsCallersApart() {
    orders.byResolver();
    assertDenied(orders::byResolver);
    tenants.current = "b";
    orders.byResolver();
  }

  @Test
  void limitsOfInterfacesSuperclassesAndOtherAnnotationsHold() {
    shop.buy("a");
    assertDenied(() -> shop.buy("a"));
    shop.sell("a");
    assertDenied(() -> shop.sell("a"));
    shop.visit("a");
    assertDenied(() -> shop.visit("a"));
  }

  @Test
  void limitsOfAClassHoldForItsMethodsUnlessSwitchedOff() {
    store.get("a");
    assertDenied(() -> store.get("a"));
    for (int i = 0; i < 3; i++) {
      assertThat(store.free("a")).isEqualTo("a");
    }
  }

  @Test
  void deniedCallIsNotValidated() {
    assertThatThrownBy(() -> orders.validated(null))
        .isInstanceOf(ConstraintViolationException.class);
    assertDenied(() -> orders.validated(null));
  }

  @Test
  void annotationOfFaultToleranceIsNotOurs() {
    for (int i = 0; i < 3; i++) {
      assertThatCode(orders::ofFaultTolerance).doesNotThrowAnyException();
    }
  }

  @Test
  void decisionsAreMeters() {
    orders.plain("metered");
    assertThat(meters.get("ratelimit.requests").tag("rule", "Orders.plain").counters())
        .isNotEmpty();
  }

  @Test
  void killSwitchIsReadWhileTheApplicationRuns() {
    orders.plain("killed");
    assertDenied(() -> orders.plain("killed"));
    System.setProperty("rl.enabled", "false");
    try {
      await().atMost(30, TimeUnit.SECONDS).until(() -> !engine.enabled());
      assertThat(orders.plain("killed")).isEqualTo("killed");
    } finally {
      System.clearProperty("rl.enabled");
    }
    await().atMost(30, TimeUnit.SECONDS).until(engine::enabled);
    assertDenied(() -> orders.plain("killed"));
  }
}
