package dev.redline.spring.servlet;

import dev.redline.binding.servlet.ServletResponses;
import dev.redline.core.RateLimitExceededException;
import dev.redline.spring.web.DenialHandlers;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Responds to a {@link RateLimitExceededException} of a controller, before handlers of {@code
 * Exception} see it; leaves it to the application's own handler of that type if there is one, and
 * to the container if a part of the response has been sent.
 */
public final class ServletDenialResolver implements HandlerExceptionResolver, Ordered {
  private final ServletResponses responses;
  private final DenialHandlers ownHandlers;

  /** Creates the resolver. */
  public ServletDenialResolver(ServletResponses responses, DenialHandlers ownHandlers) {
    this.responses = responses;
    this.ownHandlers = ownHandlers;
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
    if (!(failure instanceof RateLimitExceededException denial)
        || response.isCommitted()
        || (handler instanceof HandlerMethod method
            && ownHandlers.existFor(method.getBeanType()))) {
      return null;
    }
    try {
      responses.deny(request, response, denial.result());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ModelAndView();
  }
}
