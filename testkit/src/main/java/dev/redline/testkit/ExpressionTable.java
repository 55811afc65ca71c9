package dev.redline.testkit;

import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.key.RequestContext;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The portable expressions of {@link RateLimit} and what they mean in every framework: a bean whose
 * methods have an expression each, and the expected key of a call.
 *
 * <p>A test makes {@link Bean} a limited bean whose handler is a {@link Recorder}, calls {@link
 * Row#call} for each of the {@link #rows} within {@link #request}, and compares {@link
 * Recorder#last} with {@link Row#expected}. All classes are compiled with {@code -parameters}.
 */
public final class ExpressionTable {
  /** What {@link Row#expected} is if the limit does not apply to the call. */
  public static final String NOT_LIMITED = "not limited";

  /** What {@link Row#expected} is if the call has no key. */
  public static final String NO_KEY = "no key";

  private ExpressionTable() {}

  /** A kind of order. */
  public enum Kind {
    /** A quick one. */
    EXPRESS,
    /** A usual one. */
    NORMAL
  }

  /**
   * A customer, by record components.
   *
   * @param id a number
   * @param name may be null
   * @param vip a truth value
   */
  public record Customer(long id, @Nullable String name, boolean vip) {}

  /** An order, by getters and fields. */
  public static class Order {
    private final @Nullable Customer customer;

    /** A public field. */
    public final String place;

    /** Creates an order. */
    public Order(@Nullable Customer customer, String place) {
      this.customer = customer;
      this.place = place;
    }

    /** Returns the customer. */
    public @Nullable Customer getCustomer() {
      return customer;
    }

    /** Returns a constant. */
    public Kind getKind() {
      return Kind.EXPRESS;
    }

    /** Returns a number with a fraction. */
    public BigDecimal getTotal() {
      return new BigDecimal("10.50");
    }

    /** Returns a truth value. */
    public boolean isGift() {
      return true;
    }
  }

  /** The methods to limit; each key or condition is a row of the table. */
  public static class Bean {
    /** A parameter. */
    @RateLimit(value = "1000000/s", key = "#name")
    @Expect("alice")
    public void parameter(Order order, String name, int count) {}

    /** A parameter by its position. */
    @RateLimit(value = "1000000/s", key = "#p2")
    @Expect("7")
    public void position(Order order, String name, int count) {}

    /** The component of a record behind a getter. */
    @RateLimit(value = "1000000/s", key = "#order.customer.id")
    @Expect("42")
    public void nestedProperty(Order order, String name, int count) {}

    /** A null at the end of a path. */
    @RateLimit(value = "1000000/s", key = "#order.customer.name")
    @Expect(NO_KEY)
    public void nullProperty(Order order, String name, int count) {}

    /** A null within a path. */
    @RateLimit(value = "1000000/s", key = "#p3.customer.name")
    @Expect(NO_KEY)
    public void nullInPath(Order order, String name, int count, @Nullable Order none) {}

    /** A public field. */
    @RateLimit(value = "1000000/s", key = "#order.place")
    @Expect("Rome")
    public void field(Order order, String name, int count) {}

    /** An enum constant. */
    @RateLimit(value = "1000000/s", key = "#order.kind")
    @Expect("EXPRESS")
    public void constant(Order order, String name, int count) {}

    /** A number keeps its scale. */
    @RateLimit(value = "1000000/s", key = "#order.total")
    @Expect("10.50")
    public void decimal(Order order, String name, int count) {}

    /** A text in quotes. */
    @RateLimit(value = "1000000/s", key = "'it''s'")
    @Expect("it's")
    public void text(Order order, String name, int count) {}

    /** A template. */
    @RateLimit(value = "1000000/s", key = "t-#{#order.customer.id}-#{#name}!")
    @Expect("t-42-alice!")
    public void template(Order order, String name, int count) {}

    /** A template that is one expression. */
    @RateLimit(value = "1000000/s", key = "#{#count > 5}")
    @Expect("true")
    public void templateOfOne(Order order, String name, int count) {}

    /** A template with a null in it. */
    @RateLimit(value = "1000000/s", key = "t-#{#order.customer.name}")
    @Expect(NO_KEY)
    public void templateWithNull(Order order, String name, int count) {}

    /** The user of the request. */
    @RateLimit(value = "1000000/s", key = "#principal")
    @Expect("u7")
    public void principal(Order order, String name, int count) {}

    /** The user of the request, by another name. */
    @RateLimit(value = "1000000/s", key = "#userId")
    @Expect("u7")
    public void userId(Order order, String name, int count) {}

    /** The address of the client. */
    @RateLimit(value = "1000000/s", key = "#ip")
    @Expect("192.0.2.7")
    public void ip(Order order, String name, int count) {}

    /** A header, in any case. */
    @RateLimit(value = "1000000/s", key = "#header['x-tenant']")
    @Expect("acme")
    public void header(Order order, String name, int count) {}

    /** A header that the request lacks. */
    @RateLimit(value = "1000000/s", key = "#header['X-Other']")
    @Expect(NO_KEY)
    public void missingHeader(Order order, String name, int count) {}

    /** A parameter hides the value of the request. */
    @RateLimit(value = "1000000/s", key = "#ip")
    @Expect("alice")
    public void hidingParameter(Order order, String ip, int count) {}

    /** A comparison that holds. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#count > 6 && #count < 8")
    @Expect("k")
    public void comparison(Order order, String name, int count) {}

    /** A comparison that does not hold. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#order.total > 10.5")
    @Expect(NOT_LIMITED)
    public void falseComparison(Order order, String name, int count) {}

    /** Numbers are compared by value. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#order.total == 10.5")
    @Expect("k")
    public void equalNumbers(Order order, String name, int count) {}

    /** An enum constant is equal to its name. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#order.kind == 'EXPRESS'")
    @Expect("k")
    public void equalConstant(Order order, String name, int count) {}

    /** Texts are compared exactly. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#name != 'Alice'")
    @Expect("k")
    public void differentText(Order order, String name, int count) {}

    /** A null is equal to null alone. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#order.customer.name == null")
    @Expect("k")
    public void equalNull(Order order, String name, int count) {}

    /** A comparison with null does not hold. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#order.customer.name < 'z'")
    @Expect(NOT_LIMITED)
    public void comparedNull(Order order, String name, int count) {}

    /** A null is not true. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "#p3")
    @Expect(NOT_LIMITED)
    public void nullCondition(Order order, String name, int count, @Nullable Boolean none) {}

    /** Negation binds tighter than and, and tighter than or. */
    @RateLimit(
        value = "1000000/s",
        key = "'k'",
        condition = "!#order.gift && #count > 0 || #order.customer.vip")
    @Expect("k")
    public void precedence(Order order, String name, int count) {}

    /** Parentheses. */
    @RateLimit(
        value = "1000000/s",
        key = "'k'",
        condition = "!#order.gift && (#count > 0 || #order.customer.vip)")
    @Expect(NOT_LIMITED)
    public void parentheses(Order order, String name, int count) {}

    /** The right side is not evaluated if the left one decides. */
    @RateLimit(value = "1000000/s", key = "'k'", condition = "true || #name")
    @Expect("k")
    public void shortCircuit(Order order, String name, int count) {}

    /** The negated condition. */
    @RateLimit(value = "1000000/s", key = "'k'", unless = "#name == 'alice'")
    @Expect(NOT_LIMITED)
    public void unless(Order order, String name, int count) {}

    /** A negative number. */
    @RateLimit(value = "1000000/s", key = "'k'", unless = "#count < -1")
    @Expect("k")
    public void negative(Order order, String name, int count) {}
  }

  /** The expected key of a method of {@link Bean}. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface Expect {
    /** The key, or one of the constants of the table. */
    String value();
  }

  /**
   * One row.
   *
   * @param method a method of {@link Bean}
   * @param expected the key, {@link #NO_KEY} or {@link #NOT_LIMITED}
   */
  public record Row(Method method, String expected) {
    /** Returns the arguments of the call. */
    public @Nullable Object[] arguments() {
      @Nullable Object[] arguments = new @Nullable Object[method.getParameterCount()];
      arguments[0] = new Order(new Customer(42, null, true), "Rome");
      arguments[1] = "alice";
      arguments[2] = 7;
      return arguments;
    }

    /** Calls the method of a bean, which may be a proxy of a subclass. */
    public void call(Bean bean) throws ReflectiveOperationException {
      method.invoke(bean, arguments());
    }

    @Override
    public String toString() {
      RateLimit limit = method.getAnnotation(RateLimit.class);
      String condition = limit.condition() + limit.unless();
      return method.getName() + ": " + (condition.isEmpty() ? limit.key()[0] : condition);
    }
  }

  /** Returns all rows. */
  public static List<Row> rows() {
    return Arrays.stream(Bean.class.getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(Expect.class))
        .sorted(Comparator.comparing(Method::getName))
        .map(method -> new Row(method, method.getAnnotation(Expect.class).value()))
        .toList();
  }

  /** Returns the request that the calls are made in. */
  public static RequestContext request() {
    return RequestContext.builder()
        .path("/orders")
        .method("GET")
        .clientIp("192.0.2.7")
        .userId("u7")
        .header("X-Tenant", "acme")
        .build();
  }

  /** A handler that allows every call and keeps the keys it was checked with. Thread-safe. */
  public static final class Recorder implements RateLimitHandler {
    private final List<String> keys = new CopyOnWriteArrayList<>();

    /** Creates a recorder. */
    public Recorder() {}

    @Override
    public CompletionStage<RateLimitResult> handle(LimitCheck check) {
      if (check instanceof LimitCheck.OfLimits ofLimits) {
        List<String> identities = new ArrayList<>();
        for (CallLimit limit : ofLimits.limits()) {
          identities.add(((CallLimit.OfRule) limit).identity());
        }
        keys.add(String.join(" ", identities));
      }
      return CompletableFuture.completedFuture(RateLimitResult.of(Reason.ALLOWED));
    }

    /** Returns the key of the only call since the last time, as {@link Row#expected} says it. */
    public String last() {
      List<String> calls = List.copyOf(keys);
      keys.clear();
      if (calls.isEmpty()) {
        return NOT_LIMITED;
      }
      String identity = String.join(", ", calls);
      if (identity.equals(IdentityScheme.NO_KEY)) {
        return NO_KEY;
      }
      String prefix = IdentityScheme.named("");
      return identity.startsWith(prefix) ? identity.substring(prefix.length()) : identity;
    }
  }
}
