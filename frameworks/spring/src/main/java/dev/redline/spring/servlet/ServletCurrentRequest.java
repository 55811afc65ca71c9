package dev.redline.spring.servlet;

import dev.redline.binding.servlet.ServletExchange;
import dev.redline.binding.servlet.ServletRequests;
import dev.redline.binding.servlet.ServletResponses;
import dev.redline.binding.web.CurrentRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The servlet request of the calling thread, as Spring MVC and its filters publish it. */
public final class ServletCurrentRequest {
  private ServletCurrentRequest() {}

  /** Returns how annotated methods find the request of their thread. */
  public static CurrentRequest.Finder finder(ServletRequests requests, ServletResponses responses) {
    return () ->
        RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current
            ? new ServletExchange(current.getRequest(), current.getResponse(), requests, responses)
            : null;
  }
}
