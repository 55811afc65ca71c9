package dev.redline.spring.method;

import dev.redline.binding.CallPlan;
import dev.redline.binding.CallPlans;
import dev.redline.binding.InvalidBindingException;
import dev.redline.core.RateLimit;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Predicate;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;

/**
 * Plans the limited methods of all beans when the application starts, so that every mistake is
 * reported then, and all of them together. A method that no proxy can intercept is a mistake: its
 * limit would have no effect.
 */
public final class LimitedBeansCheck implements SmartInitializingSingleton {
  private final ConfigurableListableBeanFactory beans;
  private final CallPlans plans;
  private final boolean enabled;
  private final Predicate<Class<?>> knowsRequest;

  /**
   * Creates the check.
   *
   * @param enabled whether limited methods are intercepted at all
   * @param knowsRequest whether the request is known to methods of controllers that return a type
   */
  public LimitedBeansCheck(
      ConfigurableListableBeanFactory beans,
      CallPlans plans,
      boolean enabled,
      Predicate<Class<?>> knowsRequest) {
    this.beans = beans;
    this.plans = plans;
    this.enabled = enabled;
    this.knowsRequest = knowsRequest;
  }

  /**
   * Checks all beans.
   *
   * @throws InvalidBindingException if there is a problem; names all of them
   */
  @Override
  public void afterSingletonsInstantiated() {
    if (!enabled) {
      return;
    }
    for (String name : beans.getBeanDefinitionNames()) {
      if (!ScopedProxyUtils.isScopedTarget(name)) {
        add(name);
      }
    }
    plans.check();
  }

  private void add(String name) {
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
    if (type == null || !isCandidate(type)) {
      return;
    }
    Class<?> userType = ClassUtils.getUserClass(type);
    List<Method> limited = plans.add(userType);
    boolean controller = AnnotatedElementUtils.hasAnnotation(userType, Controller.class);
    for (Method method : limited) {
      if (controller && lacksRequest(method, userType)) {
        problem(
            method,
            userType,
            "the limit needs the request, which on WebFlux only methods that return a Mono or Flux"
                + " know: return one of them, or use arguments as key, such as #user");
      }
      if (Modifier.isFinal(method.getModifiers()) && !isNeverVirtual(method)) {
        problem(method, userType, "calls of a final method cannot be intercepted: remove final");
      }
    }
    Method first = limited.stream().filter(each -> !isNeverVirtual(each)).findFirst().orElse(null);
    Object bean = first == null ? null : beans.getSingleton(name);
    if (first != null && cannotBeSubclassed(userType)) {
      problem(
          first,
          userType,
          "calls of a final class cannot be intercepted: remove final (Kotlin: open the class, or"
              + " use the compiler plugin for Spring; a record cannot be limited)");
    } else if (first != null && bean != null && bean.getClass() == userType) {
      problem(
          first,
          userType,
          "calls of the bean '"
              + name
              + "' cannot be intercepted: a BeanPostProcessor needs it, so it was created before"
              + " proxies");
    }
  }

  /**
   * Returns whether a class can have no proxy, because it is final. The proxies of interfaces that
   * the JDK makes are final too, but have one.
   */
  static boolean cannotBeSubclassed(Class<?> type) {
    return Modifier.isFinal(type.getModifiers()) && !Proxy.isProxyClass(type);
  }

  private boolean lacksRequest(Method method, Class<?> type) {
    if (knowsRequest.test(method.getReturnType())) {
      return false;
    }
    try {
      CallPlan plan = plans.of(method, type);
      return plan != null && plan.needsRequest();
    } catch (InvalidBindingException e) {
      // The plans report it themselves.
      return false;
    }
  }

  /** Returns whether the method is private or static, which the plans report themselves. */
  private static boolean isNeverVirtual(Method method) {
    return Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers());
  }

  private void problem(Method method, Class<?> type, String message) {
    plans.addProblem(type.getName() + "." + method.getName(), message);
  }

  private static boolean isCandidate(Class<?> type) {
    return AnnotationUtils.isCandidateClass(type, RateLimit.class)
        && !type.getName().startsWith("org.springframework.");
  }
}
