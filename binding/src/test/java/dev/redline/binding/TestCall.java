package dev.redline.binding;

import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;

/** A call as an adapter would make it, with everything recorded. */
final class TestCall implements Call {
  private final Object target;
  private final Method method;
  private final Object[] arguments;
  RequestContext request = RequestContext.EMPTY;
  boolean mayBlock = true;
  Executor resumeOn = Runnable::run;
  final List<RateLimitResult> decisions = new ArrayList<>();
  final List<Boolean> fallbacks = new ArrayList<>();
  int proceeded;

  private TestCall(Object target, Method method, Object[] arguments) {
    this.target = target;
    this.method = method;
    this.arguments = arguments;
  }

  static TestCall of(Object target, String name, Object... arguments) {
    return new TestCall(target, method(target.getClass(), name), arguments);
  }

  static Method method(Class<?> type, String name) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      List<Method> found =
          Arrays.stream(each.getDeclaredMethods())
              .filter(method -> method.getName().equals(name) && !method.isSynthetic())
              .toList();
      if (found.size() == 1) {
        return found.get(0);
      }
    }
    for (Method inherited : type.getMethods()) {
      if (inherited.getName().equals(name) && !inherited.isSynthetic()) {
        return inherited;
      }
    }
    throw new IllegalArgumentException(name);
  }

  TestCall by(String user) {
    request = RequestContext.builder().userId(user).clientIp("192.0.2.1").build();
    return this;
  }

  TestCall from(RequestContext value) {
    request = value;
    return this;
  }

  Object invoke(CallPlans plans) throws Throwable {
    CallPlan plan = plans.of(method, target.getClass());
    return plan == null ? proceed() : plan.invoke(this);
  }

  @Override
  public Object target() {
    return target;
  }

  @Override
  public Object[] arguments() {
    return arguments;
  }

  @Override
  public RequestContext request() {
    return request;
  }

  @Override
  public boolean mayBlock() {
    return mayBlock;
  }

  @Override
  public Executor resumeOn() {
    return resumeOn;
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    decisions.add(result);
    fallbacks.add(fallback);
  }

  @Override
  public Object proceed() throws Throwable {
    proceeded++;
    try {
      method.setAccessible(true);
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
