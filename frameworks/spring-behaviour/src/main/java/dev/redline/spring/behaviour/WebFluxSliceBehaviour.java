package dev.redline.spring.behaviour;

import static dev.redline.spring.boot.test.WebTestClientRateLimits.allowed;
import static dev.redline.spring.boot.test.WebTestClientRateLimits.denied;
import static dev.redline.spring.boot.test.WebTestClientRateLimits.deniedBy;
import static dev.redline.spring.boot.test.WebTestClientRateLimits.notLimited;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.spring.boot.test.WithoutRateLimits;
import dev.redline.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;

/** What a slice of WebFlux with {@code @AutoConfigureRedline} does. */
public abstract class WebFluxSliceBehaviour {
  @Autowired private WebTestClient client;
  @Autowired private ManualClock clock;

  /** Creates the suite. */
  @SuppressWarnings("NullAway.Init") // Spring sets the fields
  protected WebFluxSliceBehaviour() {}

  private ResponseSpec get(String path) {
    return client.get().uri(path).exchange();
  }

  @RepeatedTest(2)
  final void bucketsAreFullBeforeEachTest() {
    get("/orders").expectAll(allowed(2, 1));
    get("/orders").expectAll(allowed(2, 0));
    get("/orders").expectAll(denied());
    get("/orders").expectAll(deniedBy("orders"));
  }

  @RepeatedTest(2)
  final void clockRefillsBuckets() {
    get("/filtered").expectAll(allowed(1, 0));
    get("/filtered").expectAll(deniedBy("filtered"));
    clock.advance(Duration.ofSeconds(60));
    get("/filtered").expectAll(allowed());
  }

  @Test
  final void expectationsFailWhereTheyDoNotHold() {
    get("/free").expectAll(notLimited());
    assertThatThrownBy(() -> get("/free").expectAll(allowed())).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> get("/orders").expectAll(denied())).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> get("/orders").expectAll(notLimited()))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> get("/orders").expectAll(deniedBy("other")))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  @WithoutRateLimits
  final void methodWithoutLimits() {
    for (int i = 0; i < 4; i++) {
      get("/orders").expectAll(notLimited());
    }
  }
}
