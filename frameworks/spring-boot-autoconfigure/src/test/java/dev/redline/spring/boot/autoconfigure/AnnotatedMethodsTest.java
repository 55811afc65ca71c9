package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.binding.InvalidBindingException;
import dev.redline.core.BucketReset;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.Reason;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.rule.OnLimitExceed;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class AnnotatedMethodsTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  RedlineAutoConfiguration.class, RedlineMethodAutoConfiguration.class));

  private final AtomicReference<String> tenant = new AtomicReference<>("");

  /** A bean with a limited method of each kind. */
  static class Orders {
    final AtomicInteger calls = new AtomicInteger();

    record Order(String customer) {}

    @RateLimit(value = "2/m", key = "#order.customer")
    String pay(Order order) {
      calls.incrementAndGet();
      return order.customer();
    }

    @RateLimit(value = "${orders.limit}", key = "#name.toLowerCase() + '-x'")
    String spel(String name) {
      return name;
    }

    @RateLimit(value = "2/m", key = "#name")
    String byName(String name) {
      return name;
    }

    @RateLimit(value = "1/m", key = "tenants")
    String byTenant() {
      return "tenant";
    }

    @RateLimit(value = "1/m", key = "'one'")
    CompletionStage<String> stage() {
      return CompletableFuture.completedFuture("done");
    }

    @RateLimit(value = "2/m", key = "'one'")
    Mono<String> mono() {
      return Mono.fromSupplier(() -> "run " + calls.incrementAndGet());
    }

    @RateLimit(value = "2/m", key = "'one'")
    Flux<Integer> flux() {
      return Flux.just(1, 2);
    }

    @RateLimit(value = "1/m", key = "'one'", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    String waiting() {
      return "done";
    }
  }

  private ApplicationContextRunner orders() {
    return runner
        .withBean(Orders.class)
        .withBean("tenants", KeyResolver.class, () -> request -> tenant.get())
        .withPropertyValues("orders.limit=2/m");
  }

  @Test
  void keyResolverOfTheApplicationTellsCallersApart() {
    orders()
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              tenant.set("a");
              orders.byTenant();
              assertThatThrownBy(orders::byTenant).isInstanceOf(RateLimitExceededException.class);
              tenant.set("b");
              assertThat(orders.byTenant()).isEqualTo("tenant");
            });
  }

  @Test
  void limitsEachKeyAlone() {
    orders()
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              assertThat(AopUtils.isCglibProxy(orders)).isTrue();
              orders.pay(new Orders.Order("alice"));
              orders.pay(new Orders.Order("alice"));
              assertThatThrownBy(() -> orders.pay(new Orders.Order("alice")))
                  .isInstanceOfSatisfying(
                      RateLimitExceededException.class,
                      denial -> assertThat(denial.result().ruleId()).contains("Orders.pay"));
              assertThat(orders.pay(new Orders.Order("bob"))).isEqualTo("bob");
            });
  }

  @Test
  void evaluatesRestrictedSpelAndPlaceholders() {
    orders()
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              orders.spel("Alice");
              orders.spel("ALICE");
              assertThatThrownBy(() -> orders.spel("alice"))
                  .isInstanceOf(RateLimitExceededException.class);
            });
  }

  @Test
  void nullKeyHasABucketThatNoRealKeyNames() {
    orders()
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              orders.byName(null);
              orders.byName(null);
              assertThatThrownBy(() -> orders.byName(null))
                  .isInstanceOf(RateLimitExceededException.class);
              for (String name : List.of("null", "NO_KEY", "-", "0")) {
                assertThat(orders.byName(name)).isEqualTo(name);
              }
            });
  }

  @Test
  void deniedStageFails() {
    orders()
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              assertThat(orders.stage().toCompletableFuture().join()).isEqualTo("done");
              assertThatThrownBy(() -> orders.stage().toCompletableFuture().join())
                  .isInstanceOf(CompletionException.class)
                  .hasCauseInstanceOf(RateLimitExceededException.class);
            });
  }

  @Test
  void eachSubscriptionOfAMonoIsDecidedAndRunsTheMethodOnce() {
    orders()
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              Mono<String> mono = orders.mono();
              assertThat(mono.block()).isEqualTo("run 1");
              assertThat(mono.block()).isEqualTo("run 2");
              assertThatThrownBy(mono::block).isInstanceOf(RateLimitExceededException.class);
              assertThat(((Orders) AopProxyUtils.getSingletonTarget(orders)).calls).hasValue(2);
            });
  }

  @Test
  void deniedFluxIsAnErrorSignal() {
    orders()
        .run(
            context -> {
              Flux<Integer> flux = context.getBean(Orders.class).flux();
              assertThat(flux.collectList().block()).containsExactly(1, 2);
              flux.collectList().block();
              assertThatThrownBy(flux::blockLast).isInstanceOf(RateLimitExceededException.class);
            });
  }

  @Test
  void threeOfFiveWaitersAreDeniedAtOnceWithTwoPermits() {
    orders()
        .withPropertyValues(
            "rl.wait-for-refill.enabled=true",
            "rl.wait-for-refill.max-wait-time=10m",
            "rl.wait-for-refill.max-concurrent-waits=2")
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              orders.waiting();
              ExecutorService threads = Executors.newCachedThreadPool();
              CompletionService<Reason> results = new ExecutorCompletionService<>(threads);
              for (int i = 0; i < 5; i++) {
                results.submit(() -> reason(orders));
              }
              for (int i = 0; i < 3; i++) {
                assertThat(results.take().get()).isEqualTo(Reason.LIMIT_EXCEEDED);
              }
              // A reset gives the bucket its only token at once: nothing here depends on time.
              RateLimitEngine engine = context.getBean(RateLimitEngine.class);
              for (int i = 0; i < 2; i++) {
                engine.reset(BucketReset.ofRule("Orders.waiting")).toCompletableFuture().get();
                assertThat(results.take().get()).isEqualTo(Reason.ALLOWED);
              }
              threads.shutdown();
            });
  }

  private static Reason reason(Orders orders) {
    try {
      orders.waiting();
      return Reason.ALLOWED;
    } catch (RateLimitExceededException denial) {
      return denial.result().reason();
    }
  }

  @Test
  void disabledAnnotationsLimitNothing() {
    orders()
        .withPropertyValues("rl.annotations.enabled=false")
        .run(
            context -> {
              Orders orders = context.getBean(Orders.class);
              for (int i = 0; i < 5; i++) {
                orders.pay(new Orders.Order("alice"));
              }
            });
  }

  /** A bean with many mistakes. */
  static class Mistakes {
    @RateLimit("1/s")
    final String isFinal() {
      return "";
    }

    @RateLimit("1/s")
    private String isPrivate() {
      return "";
    }

    @RateLimit("1/s")
    static String isStatic() {
      return "";
    }

    @RateLimit(plan = "missing")
    String unknownPlan() {
      return isPrivate();
    }

    @RateLimit("often")
    String badLimit() {
      return "";
    }

    @RateLimit(value = "1/s", fallbackMethod = "nowhere")
    String missingFallback() {
      return "";
    }

    @RateLimit(value = "1/s", key = "#{T(java.lang.Runtime).getRuntime()}")
    String typeReference() {
      return "";
    }
  }

  /** A bean that can have no proxy. */
  static final class FinalClass {
    @RateLimit("1/s")
    String limited() {
      return "";
    }
  }

  @Test
  void reportsAllMistakesOfTheApplicationTogether() {
    runner
        .withBean(Mistakes.class)
        .withBean(FinalClass.class)
        .run(
            context -> {
              InvalidBindingException failure = invalidBinding(context.getStartupFailure());
              FailureAnalysis analysis = new InvalidBindingAnalyzer().analyze(failure);
              assertThat(analysis.getDescription())
                  .contains("isFinal", "remove final")
                  .contains("FinalClass.limited", "calls of a final class cannot be intercepted")
                  .contains("isPrivate", "private method cannot be intercepted")
                  .contains("isStatic", "static method cannot be intercepted")
                  .contains("unknown plan 'missing'")
                  .contains("badLimit", "often")
                  .contains("missingFallback", "nowhere")
                  .contains("typeReference", "types, T(…), are not allowed");
            });
  }

  private static InvalidBindingException invalidBinding(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidBindingException found) {
        return found;
      }
    }
    throw new AssertionError("started, or failed otherwise", failure);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "T(java.lang.Runtime).getRuntime()",
        "new java.lang.String('x')",
        "@someBean.call()",
        "#name = 'x'",
        "#name.getClass()",
        "#name.class.name",
        "#unknown.toString()",
        "#name.("
      })
  void rejectsExpressionsThatReachOutOfTheCall(String expression) {
    assertThatThrownBy(() -> ExpressionCompilation.compile(expression))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expression);
  }

  @Test
  void rejectsLongExpressions() {
    assertThatThrownBy(() -> ExpressionCompilation.compile("'" + "x".repeat(10_000) + "'"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 1000 characters");
  }
}
