package dev.redline.spring.behaviour;

import static dev.redline.spring.boot.test.MockMvcRateLimits.allowed;
import static dev.redline.spring.boot.test.MockMvcRateLimits.denied;
import static dev.redline.spring.boot.test.MockMvcRateLimits.deniedBy;
import static dev.redline.spring.boot.test.MockMvcRateLimits.notLimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.redline.binding.servlet.ServletResponses;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.spring.boot.test.WithoutRateLimits;
import dev.redline.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;

/** What a slice of Spring MVC with {@code @AutoConfigureRedline} does. */
public abstract class MvcSliceBehaviour {
  @Autowired private MockMvc mvc;
  @Autowired private ManualClock clock;
  @Autowired private ServletResponses responses;

  /** Creates the suite. */
  @SuppressWarnings("NullAway.Init") // Spring sets the fields
  protected MvcSliceBehaviour() {}

  @RepeatedTest(2)
  final void bucketsAreFullBeforeEachTest() throws Exception {
    mvc.perform(get("/orders")).andExpect(allowed(2, 1));
    mvc.perform(get("/orders")).andExpect(allowed(2, 0));
    mvc.perform(get("/orders")).andExpect(denied()).andExpect(status().isTooManyRequests());
    mvc.perform(get("/orders")).andExpect(deniedBy("orders"));
  }

  @RepeatedTest(2)
  final void clockRefillsBuckets() throws Exception {
    mvc.perform(get("/filtered")).andExpect(allowed(1, 0));
    mvc.perform(get("/filtered"))
        .andExpect(deniedBy("filtered"))
        .andExpect(header().string("Retry-After", "60"));
    clock.advance(Duration.ofSeconds(59));
    mvc.perform(get("/filtered")).andExpect(denied());
    clock.advance(Duration.ofSeconds(1));
    mvc.perform(get("/filtered")).andExpect(allowed());
  }

  @Test
  final void expectationsFailWhereTheyDoNotHold() throws Exception {
    mvc.perform(get("/free")).andExpect(notLimited());
    assertThatThrownBy(() -> mvc.perform(get("/free")).andExpect(allowed()))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> mvc.perform(get("/orders")).andExpect(notLimited()))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> mvc.perform(get("/orders")).andExpect(denied()))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> mvc.perform(get("/orders")).andExpect(allowed()))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> mvc.perform(get("/orders")).andExpect(deniedBy("other")))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  final void denialRemovesHeadersFromMockResponses() {
    MockHttpServletRequest request = new MockHttpServletRequest();
    MockHttpServletResponse response = new MockHttpServletResponse();
    response.setHeader("X-Other", "kept");
    responses.addHeaders(
        request,
        response,
        RateLimitResult.builder(Reason.ALLOWED).band("one", 2, 1, Instant.EPOCH).build());
    assertThat(response.getHeaderNames()).contains("X-RateLimit-Limit");

    responses.addHeaders(request, response, RateLimitResult.of(Reason.BLOCKED));

    assertThat(response.getHeaderNames()).containsExactly("X-Other");
  }

  @Test
  @WithoutRateLimits
  final void methodWithoutLimits() throws Exception {
    for (int i = 0; i < 4; i++) {
      mvc.perform(get("/orders")).andExpect(status().isOk()).andExpect(notLimited());
    }
  }
}
