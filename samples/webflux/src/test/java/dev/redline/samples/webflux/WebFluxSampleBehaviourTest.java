package dev.redline.samples.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.SampleBehaviour;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class WebFluxSampleBehaviourTest extends SampleBehaviour {
  private static ConfigurableApplicationContext application;

  @BeforeAll
  static void start() {
    application = SpringApplication.run(WebFluxSampleApplication.class, "--server.port=0");
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void requestsWithoutUserAreServed() {
    for (String path : List.of("/work", "/async", "/wait", "/fallback")) {
      assertThat(new LoopbackClient(baseUri()).get(path).body()).as(path).isEqualTo("work of null");
    }
  }

  @Override
  protected URI baseUri() {
    return URI.create(
        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port"));
  }
}
