package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.MetricsExporter.RuleMeter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An exporter of the application that throws changes no decision. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingMetricsTest {
  enum Broken {
    EXCEPTIONS,
    ERRORS,
    METERS,
    NO_METERS;

    MetricsExporter exporter() {
      return exporterThat((proxy, method, arguments) -> call(method));
    }

    private @Nullable Object call(Method method) {
      return switch (this) {
        case EXCEPTIONS -> throw new IllegalStateException("on purpose");
        case ERRORS -> throw new AssertionError("on purpose");
        case METERS -> method.getName().equals("meter") ? brokenMeter() : null;
        case NO_METERS -> null;
      };
    }

    private static RuleMeter brokenMeter() {
      return verdict -> {
        throw new IllegalStateException("on purpose");
      };
    }
  }

  private static MetricsExporter exporterThat(InvocationHandler handler) {
    Class<?>[] types = {MetricsExporter.class};
    return (MetricsExporter)
        Proxy.newProxyInstance(MetricsExporter.class.getClassLoader(), types, handler);
  }

  /** A store that can be reached by I/O only, and never is. */
  private static final class DeadStore implements StorageProvider {
    @Override
    public String type() {
      return "dead";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.UNAVAILABLE, "on purpose"));
    }

    @Override
    public void close() {}
  }

  private final Logger log = Logger.getLogger(GuardedMetrics.class.getName());
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final Handler handler = new CollectingHandler(messages);
  private final ManualWaitTimer timer = new ManualWaitTimer();
  private final LocalStore store = new LocalStore(1000, timer::micros);

  @BeforeEach
  void collect() {
    log.setUseParentHandlers(false);
    log.addHandler(handler);
  }

  @AfterEach
  void close() {
    log.removeHandler(handler);
    log.setUseParentHandlers(true);
    store.close();
  }

  @ParameterizedTest
  @EnumSource
  void throwingExporterChangesNoDecision(Broken broken) {
    try (RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .metrics(broken.exporter())
            .book(EngineFixture.book(rule("r", 2).path("/r")))
            .build()) {
      assertThat(engine.check(request("/r")).remaining()).hasValue(1);
      assertThat(engine.checkAsync(request("/r")).toCompletableFuture().join().remaining())
          .hasValue(0);
      assertThat(engine.check(request("/r")).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
      assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
      engine.use(EngineFixture.plans(RateLimitPlan.of("p", EngineFixture.perHour(1))));
      assertThat(engine.plan("p").tryAcquire("k")).isTrue();
      assertThat(engine.plan("p").tryAcquire("k")).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void throwingExporterDoesNotChangeTheFallback(Broken broken) {
    RuleBook book =
        EngineFixture.book(
            rule("local", 1).path("/local").onStoreFailure(OnStoreFailure.LOCAL),
            rule("closed", 1).path("/closed").onStoreFailure(OnStoreFailure.CLOSED));
    try (RateLimitEngine engine =
        RateLimitEngine.builder(new DeadStore())
            .fallback(store)
            .metrics(broken.exporter())
            .book(book)
            .build()) {
      assertThat(engine.check(request("/local")).reason()).isEqualTo(Reason.LOCAL_FALLBACK);
      assertThat(engine.checkAsync(request("/local")).toCompletableFuture().join().reason())
          .isEqualTo(Reason.LIMIT_EXCEEDED);
      assertThat(engine.check(request("/closed")).reason()).isEqualTo(Reason.FAIL_CLOSED);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noPermitToWaitIsLost(Broken broken) {
    EngineSettings oneWait =
        EngineSettings.DEFAULT.withWaiting(
            OnLimitExceed.REJECT, new EngineSettings.Waiting(true, Duration.ofSeconds(3), 1));
    try (RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .metrics(broken.exporter())
            .settings(oneWait)
            .book(EngineFixture.plans(RateLimitPlan.of("p", perSecond())))
            .waitTimer(timer)
            .build()) {
      KeyedLimiter limiter = engine.plan("p");
      assertThat(limiter.tryAcquire("k")).isTrue();
      for (int i = 0; i < 3; i++) {
        CompletableFuture<RateLimitResult> waiting =
            limiter.acquireAsync("k", 1, Duration.ofSeconds(1)).toCompletableFuture();
        assertThat(waiting).as("wait %s", i).isNotDone();
        timer.advance(Duration.ofSeconds(1));
        assertThat(waiting.join().reason()).as("wait %s", i).isEqualTo(Reason.ALLOWED);
      }
    }
  }

  private static RateLimitBand perSecond() {
    return RateLimitBand.of(1, 1, Duration.ofSeconds(1));
  }

  @Test
  void anExporterThatAlwaysThrowsIsLoggedOnce() {
    MetricsExporter exporter = Broken.EXCEPTIONS.exporter();
    try (RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .metrics(exporter)
            .book(EngineFixture.book(rule("r", 2)))
            .build()) {
      for (int i = 0; i < 1000; i++) {
        engine.check(request("/"));
      }
    }
    assertThat(messages)
        .containsExactly("a metrics exporter failed: " + exporter.getClass().getName());
  }

  /** One that the guard did not pass on would end in the default method, which does nothing. */
  @Test
  void forwardsEveryMethodToTheExporter() throws ReflectiveOperationException {
    Map<Class<?>, Object> values =
        Map.of(
            String.class,
            "x",
            long.class,
            1L,
            int.class,
            1,
            boolean.class,
            true,
            RuleBook.class,
            RuleBook.of(),
            OnStoreFailure.class,
            OnStoreFailure.LOCAL,
            StoreException.Kind.class,
            StoreException.Kind.UNAVAILABLE);
    List<String> reached = new ArrayList<>();
    MetricsExporter guarded =
        GuardedMetrics.of(
            exporterThat(
                (proxy, method, arguments) -> {
                  reached.add(method.getName());
                  return method.getName().equals("meter") ? RuleMeter.NONE : null;
                }));
    List<String> all = new ArrayList<>();
    for (Method method : MetricsExporter.class.getMethods()) {
      if (!Modifier.isStatic(method.getModifiers())) {
        all.add(method.getName());
        method.invoke(
            guarded, Arrays.stream(method.getParameterTypes()).map(values::get).toArray());
      }
    }
    assertThat(reached).isEqualTo(all).hasSizeGreaterThanOrEqualTo(9);
  }
}
