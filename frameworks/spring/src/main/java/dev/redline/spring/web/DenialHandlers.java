package dev.redline.spring.web;

import dev.redline.core.RateLimitExceededException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;

/**
 * Finds the application's own handlers of {@link RateLimitExceededException}, which win over
 * Redline's response. A handler of a supertype, such as {@code Exception}, is none: it would turn a
 * denial into an internal error. Thread-safe.
 */
public final class DenialHandlers {
  /** Redline's own handler on WebFlux, where it has to be an advice like those of applications. */
  private static final String OWN_ADVICE = "dev.redline.spring.webflux.ReactiveDenialAdvice";

  private static final MethodFilter HANDLES_DENIALS = DenialHandlers::handlesDenials;

  private final ApplicationContext context;
  private final Map<Class<?>, Boolean> byController = new ConcurrentHashMap<>();

  /** Creates it for the controllers and advices of an application. */
  public DenialHandlers(ApplicationContext context) {
    this.context = context;
  }

  /** Returns whether the controller itself or an advice for it handles denials. */
  public boolean existFor(Class<?> controller) {
    return byController.computeIfAbsent(controller, this::find);
  }

  /** Returns whether an advice of the application handles denials, for any controller. */
  public boolean existInAdvices() {
    for (String name : context.getBeanNamesForAnnotation(ControllerAdvice.class)) {
      Class<?> type = context.getType(name, false);
      if (type != null && hasHandler(ClassUtils.getUserClass(type))) {
        return true;
      }
    }
    return false;
  }

  private boolean find(Class<?> controller) {
    if (hasHandler(controller)) {
      return true;
    }
    List<ControllerAdviceBean> advices = ControllerAdviceBean.findAnnotatedBeans(context);
    return advices.stream()
        .filter(advice -> advice.isApplicableToBeanType(controller))
        .map(ControllerAdviceBean::getBeanType)
        .anyMatch(type -> type != null && hasHandler(type));
  }

  private static boolean hasHandler(Class<?> type) {
    return !type.getName().equals(OWN_ADVICE)
        && !MethodIntrospector.selectMethods(type, HANDLES_DENIALS).isEmpty();
  }

  private static boolean handlesDenials(Method method) {
    ExceptionHandler annotation =
        AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
    if (annotation == null) {
      return false;
    }
    Class<?>[] types =
        annotation.value().length > 0 ? annotation.value() : method.getParameterTypes();
    return List.of(types).contains(RateLimitExceededException.class);
  }
}
