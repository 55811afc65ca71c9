package dev.redline.samples.quickstart;

import dev.redline.behaviour.SampleBehaviour;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class QuickstartBehaviourTest extends SampleBehaviour {
  private static ConfigurableApplicationContext application;

  @BeforeAll
  static void start() {
    application = SpringApplication.run(QuickstartApplication.class, "--server.port=0");
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
