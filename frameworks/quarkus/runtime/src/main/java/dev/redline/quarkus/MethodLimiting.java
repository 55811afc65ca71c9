package dev.redline.quarkus;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ApplicationSettings.AnnotationSettings;
import dev.redline.binding.CallPlan;
import dev.redline.binding.CallPlans;
import dev.redline.binding.InvalidBindingException;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.core.settings.InvalidSettingsException;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ManagedContext;
import io.quarkus.arc.Subclass;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs calls of limited methods by their plans, which are resolved once. */
@Singleton
public class MethodLimiting {
  private final AnnotationSettings settings;
  private final CallPlans plans;
  private final RoutingRequests requests;
  private final RoutingResponses responses;
  private final CurrentVertxRequest currentRequest;

  @Inject
  MethodLimiting(
      ApplicationSettings settings,
      CallPlans plans,
      RoutingRequests requests,
      RoutingResponses responses,
      CurrentVertxRequest currentRequest) {
    this.settings = settings.annotations();
    this.plans = plans;
    this.requests = requests;
    this.responses = responses;
    this.currentRequest = currentRequest;
  }

  /**
   * Plans all limited methods of an application.
   *
   * @param builtOrder the order of the interceptor
   * @throws InvalidBindingException if there is a problem; names all of them
   * @throws InvalidSettingsException if the order is another one than when it was built
   */
  void check(List<Class<?>> limited, int builtOrder) {
    if (settings.order() != builtOrder) {
      throw new InvalidSettingsException(
          List.of(
              "rl.annotations.order: is fixed as "
                  + builtOrder
                  + " when the application is built, and cannot be "
                  + settings.order()
                  + " when it starts"));
    }
    if (settings.enabled()) {
      limited.forEach(plans::add);
      plans.check();
    }
  }

  @Nullable Object invoke(InvocationContext invocation) throws Throwable {
    Object target = invocation.getTarget();
    CallPlan plan =
        settings.enabled() && target != null
            ? plans.of(invocation.getMethod(), beanClass(target))
            : null;
    return plan == null
        ? invocation.proceed()
        : plan.invoke(new ArcCall(invocation, currentRequest()));
  }

  private static Class<?> beanClass(Object target) {
    Class<?> type = target.getClass();
    return target instanceof Subclass ? type.getSuperclass() : type;
  }

  private @Nullable CurrentRequest currentRequest() {
    ManagedContext context = Arc.container().requestContext();
    RoutingContext routing = context.isActive() ? currentRequest.getCurrent() : null;
    return routing == null ? null : new RoutedRequest(routing, requests, responses);
  }
}
