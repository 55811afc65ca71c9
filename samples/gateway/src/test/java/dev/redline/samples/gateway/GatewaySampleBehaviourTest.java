package dev.redline.samples.gateway;

import dev.redline.behaviour.FilterBehaviour;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(120)
class GatewaySampleBehaviourTest extends FilterBehaviour {
  private static ConfigurableApplicationContext application;

  @BeforeAll
  static void start() {
    application = GatewaySampleApplication.start("--server.port=0");
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Override
  protected URI baseUri() {
    return URI.create(
        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port"));
  }
}
