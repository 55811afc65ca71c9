package dev.redline.spring.servlet;

import dev.redline.binding.servlet.ServletResponses;
import dev.redline.core.RateLimitExceededException;
import dev.redline.spring.web.DenialHandlers;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;

/**
 * Responds to a {@link RateLimitExceededException} of a controller, before handlers of {@code
 * Exception} see it; the application's own handler of that type wins if there is one, wherever it
 * is. Leaves it to the container if a part of the response has been sent.
 */
public final class ServletDenialResolver implements HandlerExceptionResolver, Ordered {
  private final ServletResponses responses;
  private final DenialHandlers ownHandlers;
  private final Supplier<List<HandlerExceptionResolver>> others;
  private volatile @Nullable AdviceHandlers advices;

  /**
   * Creates the resolver.
   *
   * @param others returns Spring's own resolvers
   */
  public ServletDenialResolver(
      ServletResponses responses,
      DenialHandlers ownHandlers,
      Supplier<List<HandlerExceptionResolver>> others) {
    this.responses = responses;
    this.ownHandlers = ownHandlers;
    this.others = others;
  }

  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    if (!(failure instanceof RateLimitExceededException denial) || response.isCommitted()) {
      return null;
    }
    if (handler instanceof HandlerMethod controller) {
      if (ownHandlers.existIn(controller.getBeanType())) {
        return null;
      }
      if (ownHandlers.ofAdvice(controller.getBeanType()) != null) {
        return advices().resolveException(request, response, handler, failure);
      }
    }
    try {
      responses.deny(request, response, denial.result());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ModelAndView();
  }

  private AdviceHandlers advices() {
    AdviceHandlers resolver = advices;
    if (resolver == null) {
      resolver = new AdviceHandlers(ownHandlers);
      for (HandlerExceptionResolver other : others.get()) {
        resolver.invokeLike(other);
      }
      advices = resolver;
    }
    return resolver;
  }

  /** Calls handlers of denials in advices, before all others. */
  private static final class AdviceHandlers extends ExceptionHandlerExceptionResolver {
    private final DenialHandlers ownHandlers;

    AdviceHandlers(DenialHandlers ownHandlers) {
      this.ownHandlers = ownHandlers;
    }

    /** Takes over how arguments and results of handlers are converted. */
    void invokeLike(HandlerExceptionResolver other) {
      if (other instanceof HandlerExceptionResolverComposite several) {
        several.getExceptionResolvers().forEach(this::invokeLike);
      } else if (other instanceof ExceptionHandlerExceptionResolver of
          && of.getArgumentResolvers() != null
          && of.getReturnValueHandlers() != null) {
        setArgumentResolvers(of.getArgumentResolvers().getResolvers());
        setReturnValueHandlers(of.getReturnValueHandlers().getHandlers());
      }
    }

    @Override
    protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(
        @Nullable HandlerMethod controller, Exception failure, ServletWebRequest request) {
      HandlerMethod own =
          controller == null ? null : ownHandlers.ofAdvice(controller.getBeanType());
      return own == null ? null : new ServletInvocableHandlerMethod(own);
    }
  }
}
