package dev.redline.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.DecisionListener;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.store.StorageProvider;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LimitedBeansTest {
  /** A bean with a limited method of each kind. */
  @ApplicationScoped
  static class Orders {
    @RateLimit(value = "2/m", key = "#name")
    String pay(String name) {
      return name;
    }

    @RateLimit(value = "${orders.limit:1/m}", key = "'one'")
    String configured() {
      return "done";
    }

    @RateLimit(value = "1/m", key = "'one'")
    CompletionStage<String> stage() {
      return CompletableFuture.completedFuture("done");
    }

    @RateLimit(value = "2/s", key = "'one'", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    CompletionStage<ClassLoader> waiting() {
      return CompletableFuture.completedFuture(Thread.currentThread().getContextClassLoader());
    }

    @RateLimit(value = "1/m", key = "#name", fallbackMethod = "later")
    String withFallback(String name) {
      return name;
    }

    String later(String name, RateLimitExceededException denial) {
      return "later " + name + " " + denial.result().reason();
    }

    @RateLimit(value = "1/m", key = "tenants")
    String byTenant() {
      return "tenant";
    }

    String free() {
      return "free";
    }
  }

  /** Names tenants. */
  @Named("tenants")
  @Singleton
  static class Tenants implements KeyResolver {
    static String current = "";

    @Override
    public String resolve(RequestContext request) {
      return current;
    }
  }

  private static void assertDenied(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
  }

  @Test
  void limitsEachKeyAlone() {
    try (Deployment deployment = Deployment.start(Map.of(), Orders.class, Tenants.class)) {
      Orders orders = deployment.bean(Orders.class);
      orders.pay("alice");
      orders.pay("alice");
      assertThatThrownBy(() -> orders.pay("alice"))
          .isInstanceOfSatisfying(
              RateLimitExceededException.class,
              denial -> assertThat(denial.result().ruleId()).contains("Orders.pay"));
      assertThat(orders.pay("bob")).isEqualTo("bob");
      assertThat(orders.free()).isEqualTo("free");
    }
  }

  @Test
  void propertiesReplacePlaceholders() {
    try (Deployment deployment =
        Deployment.start(Map.of("orders.limit", "3/m"), Orders.class, Tenants.class)) {
      Orders orders = deployment.bean(Orders.class);
      for (int i = 0; i < 3; i++) {
        orders.configured();
      }
      assertDenied(orders::configured);
    }
  }

  @Test
  void deniedStageFails() {
    try (Deployment deployment = Deployment.start(Map.of(), Orders.class, Tenants.class)) {
      Orders orders = deployment.bean(Orders.class);
      assertThat(orders.stage().toCompletableFuture().join()).isEqualTo("done");
      assertThatThrownBy(() -> orders.stage().toCompletableFuture().join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(RateLimitExceededException.class);
    }
  }

  @Test
  void waitingMethodRunsLaterWithTheClassLoaderOfItsCaller() {
    try (Deployment deployment =
        Deployment.start(
            Map.of("rl.wait-for-refill.enabled", "true"), Orders.class, Tenants.class)) {
      Orders orders = deployment.bean(Orders.class);
      orders.waiting().toCompletableFuture().join();
      orders.waiting().toCompletableFuture().join();

      CompletableFuture<ClassLoader> third = orders.waiting().toCompletableFuture();

      assertThat(third).isNotDone();
      assertThat(third.join()).isSameAs(Thread.currentThread().getContextClassLoader());
    }
  }

  @Test
  void fallbackIsCalledInsteadOfADeniedMethod() {
    try (Deployment deployment = Deployment.start(Map.of(), Orders.class, Tenants.class)) {
      Orders orders = deployment.bean(Orders.class);
      assertThat(orders.withFallback("alice")).isEqualTo("alice");
      assertThat(orders.withFallback("alice")).isEqualTo("later alice LIMIT_EXCEEDED");
    }
  }

  @Test
  void keyResolverOfTheApplicationIsFoundByItsName() {
    try (Deployment deployment = Deployment.start(Map.of(), Orders.class, Tenants.class)) {
      Orders orders = deployment.bean(Orders.class);
      Tenants.current = "a";
      orders.byTenant();
      assertDenied(orders::byTenant);
      Tenants.current = "b";
      assertThat(orders.byTenant()).isEqualTo("tenant");
    }
  }

  /** An annotation with a limit. */
  @RateLimit(value = "1/m", key = "'one'")
  @Retention(RetentionPolicy.RUNTIME)
  @interface Rare {}

  /** Limits of an interface. */
  interface Greeting {
    @RateLimit(value = "1/m", key = "'one'")
    String hello();

    @RateLimit(value = "1/m", key = "'one'")
    default String byDefault() {
      return "default";
    }
  }

  /** Limits of a superclass. */
  static class Polite {
    @RateLimit(value = "1/m", key = "'one'")
    String thanks() {
      return "thanks";
    }
  }

  /** Inherits all its limits but one. */
  @Dependent
  static class English extends Polite implements Greeting {
    @Override
    public String hello() {
      return "hello";
    }

    @Rare
    String rare() {
      return "rare";
    }

    String free() {
      return "free";
    }
  }

  @Test
  void limitsOfInterfacesSuperclassesAndOtherAnnotationsCount() {
    try (Deployment deployment = Deployment.start(Map.of(), English.class)) {
      English english = deployment.bean(English.class);
      List<Runnable> limited =
          List.of(english::hello, english::byDefault, english::thanks, english::rare);
      limited.forEach(Runnable::run);
      limited.forEach(LimitedBeansTest::assertDenied);
      english.free();
      english.free();
    }
  }

  /** A class whose methods are all limited. */
  @ApplicationScoped
  @RateLimit(value = "1/m", key = "'one'")
  static class AllLimited {
    String first() {
      return "first";
    }

    String second() {
      return "second";
    }

    @RateLimit.None
    String free() {
      return "free";
    }
  }

  @Test
  void annotationOfAClassLimitsEachMethodByItself() {
    try (Deployment deployment = Deployment.start(Map.of(), AllLimited.class)) {
      AllLimited bean = deployment.bean(AllLimited.class);
      bean.first();
      bean.second();
      assertDenied(bean::first);
      assertDenied(bean::second);
      bean.free();
      bean.free();
    }
  }

  /** A bean that could not be intercepted as a whole. */
  @Dependent
  static class WithFinalMethod {
    @RateLimit(value = "1/m", key = "'one'")
    String limited() {
      return "limited";
    }

    final String free() {
      return "free";
    }
  }

  @Test
  void onlyLimitedMethodsMustNotBeFinal() {
    try (Deployment deployment = Deployment.start(Map.of(), WithFinalMethod.class)) {
      WithFinalMethod bean = deployment.bean(WithFinalMethod.class);
      bean.limited();
      assertDenied(bean::limited);
      assertThat(bean.free()).isEqualTo("free");
    }
  }

  /** Parts of the engine that the application makes itself. */
  @ApplicationScoped
  static class OwnParts {
    static final List<Reason> DECISIONS = new CopyOnWriteArrayList<>();

    @Produces
    @Singleton
    StorageProvider store() {
      return new LocalStore();
    }

    @Produces
    @Singleton
    DecisionListener listener() {
      return (check, result, rules) -> DECISIONS.add(result.reason());
    }
  }

  /** Uses the engine in code. */
  @Dependent
  static class UsesEngine {
    @Inject RateLimitEngine engine;
    @Inject RedlineAssembly assembly;
    @Inject StorageProvider store;
  }

  @Test
  void beansOfTheApplicationWin() {
    try (Deployment deployment =
        Deployment.start(
            Map.of("rl.storage.type", "NOWHERE"),
            Orders.class,
            Tenants.class,
            OwnParts.class,
            UsesEngine.class)) {
      UsesEngine uses = deployment.bean(UsesEngine.class);
      assertThat(uses.assembly.engine()).isSameAs(uses.engine);
      assertThat(uses.assembly.store()).isSameAs(uses.store);
      OwnParts.DECISIONS.clear();
      deployment.bean(Orders.class).pay("alice");
      assertThat(OwnParts.DECISIONS).containsExactly(Reason.ALLOWED);
    }
  }

  /** Denies everything. */
  @ApplicationScoped
  static class DenyingHandler implements RateLimitHandler {
    @Override
    public CompletionStage<RateLimitResult> handle(dev.redline.core.LimitCheck check) {
      return CompletableFuture.completedFuture(RateLimitResult.of(Reason.BLOCKED));
    }
  }

  @Test
  void handlerOfTheApplicationDecidesUnlessLimitingIsSwitchedOff() {
    try (Deployment deployment =
        Deployment.start(Map.of(), Orders.class, Tenants.class, DenyingHandler.class)) {
      assertDenied(() -> deployment.bean(Orders.class).pay("alice"));
      deployment.bean(RateLimitEngine.class).enable(false);
      deployment.bean(Orders.class).pay("alice");
    }
  }

  @Test
  void disabledAnnotationsLimitNothing() {
    try (Deployment deployment =
        Deployment.start(Map.of("rl.annotations.enabled", "false"), Orders.class, Tenants.class)) {
      for (int i = 0; i < 5; i++) {
        deployment.bean(Orders.class).pay("alice");
      }
    }
  }

  /** A bean that the container may passivate. */
  @SessionScoped
  static class Cart implements Serializable {
    private static final long serialVersionUID = 1L;

    @RateLimit("1/m")
    String add() {
      return "added";
    }
  }

  @Test
  void beansOfPassivatingScopesCanBeLimited() throws Exception {
    try (Deployment deployment = Deployment.start(Map.of(), Cart.class)) {
      assertThat(deployment.bean(Cart.class)).isNotNull();
      MethodLimitInterceptor interceptor = new MethodLimitInterceptor();
      interceptor.use(deployment.bean(LimitedApplication.class));
      new ObjectOutputStream(OutputStream.nullOutputStream()).writeObject(interceptor);
    }
  }

  /** Binds {@link CountingInterceptor}. */
  @InterceptorBinding
  @Retention(RetentionPolicy.RUNTIME)
  @interface Counted {}

  /** An interceptor of the application. */
  @Counted
  @Interceptor
  @Priority(Interceptor.Priority.APPLICATION)
  static class CountingInterceptor {
    static final AtomicInteger CALLS = new AtomicInteger();

    @AroundInvoke
    Object count(InvocationContext call) throws Exception {
      CALLS.incrementAndGet();
      return call.proceed();
    }
  }

  /** Has a limit and an interceptor of the application. */
  @ApplicationScoped
  static class CountedBean {
    @Counted
    @RateLimit(value = "1/m", key = "'one'")
    String call() {
      return "called";
    }
  }

  @Test
  void orderDecidesWhetherOtherInterceptorsSeeDeniedCalls() {
    assertThat(countedOfTwoCalls(Map.of())).isEqualTo(1);
    assertThat(countedOfTwoCalls(Map.of("rl.annotations.order", "3000"))).isEqualTo(2);
  }

  private static int countedOfTwoCalls(Map<String, String> properties) {
    CountingInterceptor.CALLS.set(0);
    try (Deployment deployment =
        Deployment.start(properties, CountedBean.class, CountingInterceptor.class)) {
      CountedBean bean = deployment.bean(CountedBean.class);
      bean.call();
      assertDenied(bean::call);
      return CountingInterceptor.CALLS.get();
    }
  }

  /** Rules of the application. */
  @ApplicationScoped
  static class OwnSource implements ConfigProvider {
    static boolean closed;

    @Override
    public String name() {
      return "OWN";
    }

    @Override
    public Optional<Snapshot> load() {
      String plans = "plans: [{ id: gold, limit: 1/m }]\nrules: []";
      return Optional.of(new Snapshot("1", List.of(new Document("own", plans))));
    }

    @Override
    public boolean canChange() {
      return false;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Limited by a plan of these rules. */
  @ApplicationScoped
  static class Gold {
    @RateLimit(plan = "gold", key = "'one'")
    String dig() {
      return "gold";
    }
  }

  @Test
  void ruleSourceOfTheApplicationIsClosedWithIt() {
    OwnSource.closed = false;
    try (Deployment deployment = Deployment.start(Map.of(), Gold.class, OwnSource.class)) {
      Gold gold = deployment.bean(Gold.class);
      gold.dig();
      assertDenied(gold::dig);
      assertThat(OwnSource.closed).isFalse();
    }
    assertThat(OwnSource.closed).isTrue();
  }
}
