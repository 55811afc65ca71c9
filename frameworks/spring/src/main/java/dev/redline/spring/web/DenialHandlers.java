package dev.redline.spring.web;

import dev.redline.core.RateLimitExceededException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * Finds the application's own handlers of {@link RateLimitExceededException}, which win over
 * Redline's response and over all handlers of a supertype, such as {@code Exception}: those would
 * turn a denial into an internal error. Thread-safe.
 */
public final class DenialHandlers {
  /** Redline's own handler on WebFlux, where it has to be an advice like those of applications. */
  private static final String OWN_ADVICE = "dev.redline.spring.webflux.ReactiveDenialAdvice";

  private final ApplicationContext context;
  private final Map<Class<?>, Boolean> inControllers = new ConcurrentHashMap<>();
  private final Map<Class<?>, Optional<HandlerMethod>> ofAdvices = new ConcurrentHashMap<>();

  /** Creates it for the controllers and advices of an application. */
  public DenialHandlers(ApplicationContext context) {
    this.context = context;
  }

  /**
   * Returns whether the controller itself handles denials; Spring calls its handler first. WebFlux
   * asks for each request, so a controller is scanned once.
   */
  public boolean existIn(Class<?> controller) {
    return inControllers.computeIfAbsent(controller, type -> handlesDenials(handler(type)));
  }

  /**
   * Returns the first advice's handler of denials for a controller, or null if there is none.
   * Spring itself would call an earlier advice's handler of a supertype instead.
   */
  public @Nullable HandlerMethod ofAdvice(Class<?> controller) {
    return ofAdvices.computeIfAbsent(controller, this::find).orElse(null);
  }

  private Optional<HandlerMethod> find(Class<?> controller) {
    for (ControllerAdviceBean advice : ControllerAdviceBean.findAnnotatedBeans(context)) {
      Class<?> type = advice.getBeanType();
      Method method = type == null || isOwn(type) ? null : handler(type);
      if (method != null && handlesDenials(method) && advice.isApplicableToBeanType(controller)) {
        return Optional.of(new HandlerMethod(advice.resolveBean(), method));
      }
    }
    return Optional.empty();
  }

  private static boolean isOwn(Class<?> advice) {
    return advice.getName().equals(OWN_ADVICE);
  }

  /** Returns the method of a class that Spring would call, perhaps a handler of a supertype. */
  private static @Nullable Method handler(Class<?> type) {
    return new ExceptionHandlerMethodResolver(type)
        .resolveMethodByExceptionType(RateLimitExceededException.class);
  }

  private static boolean handlesDenials(@Nullable Method method) {
    ExceptionHandler annotation =
        method == null
            ? null
            : AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
    if (method == null || annotation == null) {
      return false;
    }
    Class<?>[] types =
        annotation.value().length > 0 ? annotation.value() : method.getParameterTypes();
    return List.of(types).contains(RateLimitExceededException.class);
  }
}
