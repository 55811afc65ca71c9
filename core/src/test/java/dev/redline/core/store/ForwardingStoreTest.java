package dev.redline.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.store.ForwardingRemoteStore;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.StorageProvider.StoreHealth;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Also a method that is added to the interfaces later has to be forwarded. */
class ForwardingStoreTest {
  private static final RateLimitKey KEY =
      new RateLimitKey(
          new BucketLimits(OwnerKind.RULE, "rule", List.of(RateLimitBand.parse("1/s"))), "caller");

  private static final List<Object> VALUES =
      List.of(
          "text",
          true,
          Acquisition.of(KEY, 1),
          new Outcome(),
          KEY,
          List.of("element"),
          Duration.ofMillis(7),
          Optional.empty(),
          CompletableFuture.completedFuture(null),
          StoreHealth.UP);

  private final List<Object> calls = new ArrayList<>();
  private final RemoteStore delegate =
      (RemoteStore)
          Proxy.newProxyInstance(
              RemoteStore.class.getClassLoader(),
              new Class<?>[] {RemoteStore.class},
              (proxy, method, arguments) -> {
                calls.add(call(method, arguments));
                return value(method.getReturnType());
              });

  private final RemoteStore store =
      new ForwardingRemoteStore() {
        @Override
        protected RemoteStore delegate() {
          return delegate;
        }
      };

  static Stream<Method> methods() {
    return Arrays.stream(RemoteStore.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> !method.getName().equals("acquireForEventLoop"));
  }

  @ParameterizedTest
  @MethodSource("methods")
  void forwardsEachMethodOnce(Method method) throws Exception {
    Object[] arguments =
        Arrays.stream(method.getParameterTypes())
            .map(ForwardingStoreTest::value)
            .toArray(Object[]::new);

    Object result = method.invoke(store, arguments);

    assertThat(calls).containsExactly(call(method, arguments));
    assertThat(result).isEqualTo(value(method.getReturnType()));
  }

  /** So a decorator that overrides {@code acquire} alone is never bypassed. */
  @Test
  void acquiresForAnEventLoopByItsOwnAcquire() throws Exception {
    Acquisition acquisition = Acquisition.of(KEY, 1);

    var unused = store.acquireForEventLoop(acquisition);

    Method acquire = StorageProvider.class.getMethod("acquire", Acquisition.class);
    assertThat(calls).containsExactly(call(acquire, new Object[] {acquisition}));
  }

  private static List<Object> call(Method method, Object[] arguments) {
    List<Object> call = new ArrayList<>();
    call.add(method.getName() + Arrays.toString(method.getParameterTypes()));
    call.addAll(arguments == null ? List.of() : Arrays.asList(arguments));
    return call;
  }

  /** Returns always the same value of a type; null for a type without one. */
  private static Object value(Class<?> type) {
    return VALUES.stream()
        .filter(value -> type == boolean.class ? value instanceof Boolean : type.isInstance(value))
        .findFirst()
        .orElse(null);
  }
}
