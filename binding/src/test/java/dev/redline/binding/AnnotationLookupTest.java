package dev.redline.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where annotations may stand, and which of them count. */
class AnnotationLookupTest {
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine = RateLimitEngine.builder(store).book(RuleBook.of()).build();
  private final CallPlans plans = CallPlans.builder(engine).build();

  @AfterEach
  void close() {
    store.close();
  }

  @Retention(RetentionPolicy.RUNTIME)
  @RateLimit(value = "1/h", key = "global")
  @interface OncePerHour {}

  @Retention(RetentionPolicy.RUNTIME)
  @OncePerHour
  @interface Rarely {}

  @Retention(RetentionPolicy.RUNTIME)
  @RateLimit(value = "1/h", key = "global", id = "shared")
  @interface Shared {}

  @Retention(RetentionPolicy.RUNTIME)
  @RateLimit.None
  @interface Unlimited {}

  static class Composed {
    @Rarely
    public void rare() {}

    @Shared
    public void first() {}

    @Shared
    public void second() {}
  }

  @RateLimit(value = "1/h", key = "global")
  static class OfClass {
    public void one() {}

    public void two() {}

    @RateLimit(value = "2/h", key = "global")
    public void own() {}

    @RateLimit.None
    public void none() {}

    @Unlimited
    public void unlimited() {}

    @Override
    public String toString() {
      return "not limited";
    }
  }

  static class Derived extends OfClass {
    @Override
    public void one() {}

    @Override
    public void own() {}
  }

  interface Repository<T> {
    @RateLimit(value = "1/h", key = "#item")
    void save(T item);

    @RateLimit(value = "1/h", key = "global")
    default void clear() {}
  }

  static class Texts implements Repository<String> {
    String saved = "";

    @Override
    public void save(String item) {
      saved = item;
    }
  }

  abstract static class GenericBase<T> {
    @RateLimit(value = "1/h", key = "#p0")
    public abstract void handle(T item);
  }

  static class Numbers extends GenericBase<Integer> {
    @Override
    public void handle(Integer item) {}
  }

  static class OnImplementation implements Repository<Long> {
    @Override
    @RateLimit.None
    public void save(Long item) {}
  }

  private void limited(Object target, String method, Object... arguments) throws Throwable {
    TestCall.of(target, method, arguments).invoke(plans);
    assertThatExceptionOfType(RateLimitExceededException.class)
        .isThrownBy(() -> TestCall.of(target, method, arguments).invoke(plans));
  }

  private void unlimited(Object target, String method, Object... arguments) throws Throwable {
    assertThat(plans.of(TestCall.method(target.getClass(), method), target.getClass())).isNull();
    assertThat(plans.isLimited(TestCall.method(target.getClass(), method), target.getClass()))
        .isFalse();
    TestCall.of(target, method, arguments).invoke(plans);
  }

  @Test
  void anAnnotationStandsOnOtherAnnotations() throws Throwable {
    limited(new Composed(), "rare");
    TestCall.of(new Composed(), "first").invoke(plans);
    assertThatExceptionOfType(RateLimitExceededException.class)
        .as("one annotation with an id is one limit")
        .isThrownBy(() -> TestCall.of(new Composed(), "second").invoke(plans));
    plans.add(Composed.class);
    plans.check();
  }

  @Test
  void aClassLimitsEachOfItsMethodsByItself() throws Throwable {
    OfClass target = new OfClass();
    limited(target, "one");
    limited(target, "two");
    TestCall.of(target, "own").invoke(plans);
    limited(target, "own");
    unlimited(target, "none");
    unlimited(target, "unlimited");
    unlimited(target, "toString");
    assertThat(plans.add(OfClass.class)).extracting(Method::getName).contains("one", "two", "own");
    plans.check();
    assertThat(plans.rules())
        .extracting(RateLimitRule::id)
        .containsExactlyInAnyOrder("OfClass.one", "OfClass.two", "OfClass.own");
  }

  @Test
  void aSubclassHasLimitsOfItsOwn() throws Throwable {
    limited(new OfClass(), "one");
    limited(new Derived(), "one");
    TestCall.of(new Derived(), "own").invoke(plans);
    limited(new Derived(), "own");
    limited(new Derived(), "two");
    unlimited(new Derived(), "none");
  }

  @Test
  void anInterfaceLimitsItsImplementations() throws Throwable {
    limited(new Texts(), "save", "x");
    limited(new Texts(), "clear");
    unlimited(new OnImplementation(), "save", 1L);
    limited(new Numbers(), "handle", 5);
  }

  @Test
  void bridgesAndInterfaceMethodsHaveTheSamePlan() throws Exception {
    CallPlan plan = plans.of(Texts.class.getMethod("save", String.class), Texts.class);
    Method bridge =
        Arrays.stream(Texts.class.getDeclaredMethods()).filter(Method::isBridge).findFirst().get();
    assertThat(plans.of(bridge, Texts.class)).isNotNull().isSameAs(plan);
    assertThat(plans.of(Repository.class.getMethod("save", Object.class), Texts.class))
        .isSameAs(plan);
    plans.add(Texts.class);
    plans.add(Numbers.class);
    plans.check();
    assertThat(plans.rules())
        .extracting(RateLimitRule::id)
        .containsExactlyInAnyOrder("Texts.save", "Texts.clear", "Numbers.handle");
  }

  @Test
  void aReaderOfAFrameworkReplacesReflection() throws Throwable {
    RateLimit limit = OfClass.class.getMethod("own").getAnnotation(RateLimit.class);
    CallPlans byReader =
        CallPlans.builder(engine)
            .annotations(
                element ->
                    element instanceof Method method && method.getName().equals("toString")
                        ? List.of(limit)
                        : List.of())
            .build();
    assertThat(byReader.isLimited(OfClass.class.getMethod("one"), OfClass.class)).isFalse();
    assertThat(byReader.isLimited(OfClass.class.getMethod("toString"), OfClass.class)).isTrue();
  }
}
