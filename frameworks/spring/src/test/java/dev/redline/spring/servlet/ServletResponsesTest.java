package dev.redline.spring.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.binding.servlet.ServletResponses;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.spring.LimitedEngine;
import jakarta.servlet.http.Cookie;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ServletResponsesTest {
  private static final RateLimitResult ALLOWED =
      RateLimitResult.builder(Reason.ALLOWED).band("hello", 10, 9, Instant.EPOCH).build();
  private static final RateLimitResult BLOCKED = RateLimitResult.of(Reason.BLOCKED);

  private final ServletResponses responses = new ServletResponses(LimitedEngine.http());
  private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");

  /** Ignores a value of null, as Tomcat 10 does, and cannot remove a header in another way. */
  private static final class Servlet60Response extends MockHttpServletResponse {
    @Override
    public void setHeader(String name, String value) {
      if (value != null) {
        super.setHeader(name, value);
      }
    }

    @Override
    public void setBufferSize(int size) {
      if (getContentAsByteArray().length > 0) {
        throw new IllegalStateException("content has been written");
      }
      super.setBufferSize(size);
    }
  }

  @Test
  void denialRemovesTheHeadersOfAnAllowedCheckAndNoOthers() {
    MockHttpServletResponse response = new Servlet60Response();
    response.setStatus(202);
    response.setContentType("text/plain;charset=UTF-8");
    response.addHeader("Vary", "Origin");
    response.addHeader("Vary", "Accept");
    response.addCookie(new Cookie("session", "1"));
    responses.addHeaders(request, response, ALLOWED);
    assertThat(response.getHeader("X-RateLimit-Remaining")).isEqualTo("9");

    responses.addHeaders(request, response, BLOCKED);

    assertThat(response.getHeaderNames())
        .noneMatch(name -> name.contains("RateLimit"))
        .contains("Vary", "Set-Cookie");
    assertThat(response.getHeaders("Vary")).containsExactly("Origin", "Accept");
    assertThat(response.getHeaders("Set-Cookie")).hasSize(1);
    assertThat(response.getStatus()).isEqualTo(202);
    assertThat(response.getContentType()).isEqualTo("text/plain;charset=UTF-8");
  }

  @Test
  void denialKeepsABodyThatHasBegun() throws Exception {
    MockHttpServletResponse response = new Servlet60Response();
    responses.addHeaders(request, response, ALLOWED);
    response.getWriter().write("begun");

    responses.addHeaders(request, response, BLOCKED);

    assertThat(response.getContentAsString()).isEqualTo("begun");
  }

  @Test
  void customizedDenialReplacesTheHeadersOfItsDecision() throws Exception {
    RateLimitResult denied =
        RateLimitResult.builder(Reason.LIMIT_EXCEEDED).band("hello", 10, 0, Instant.EPOCH).build();
    ServletResponses customized =
        new ServletResponses(
            LimitedEngine.http((response, result) -> response.header("Retry-After", null)));
    MockHttpServletResponse response = new Servlet60Response();
    customized.addHeaders(request, response, denied);
    assertThat(response.getHeader("Retry-After")).isNotNull();

    customized.deny(request, response, denied);

    assertThat(response.getStatus()).isEqualTo(429);
    assertThat(response.getHeader("Retry-After")).isNull();
    assertThat(response.getHeader("X-RateLimit-Limit")).isEqualTo("10");
  }
}
