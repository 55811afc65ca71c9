package dev.redline.samples.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The server of a management port has the filters of the application, as a child context. */
class WebFluxManagementPortTest {
  @Test
  void managementPortIsNotLimited() {
    try (ConfigurableApplicationContext application =
        SpringApplication.run(
            WebFluxSampleApplication.class,
            "--server.port=0",
            "--management.server.port=0",
            "--rl.rules[0].id=all",
            "--rl.rules[0].path=/**",
            "--rl.rules[0].key=global",
            "--rl.rules[0].limit=1/h")) {
      LoopbackClient probe = client(application, "local.management.port");
      for (int i = 0; i < 3; i++) {
        assertThat(probe.get("/actuator/health").status()).isEqualTo(200);
      }
      LoopbackClient client = client(application, "local.server.port");
      assertThat(client.get("/free").status()).isEqualTo(200);
      assertThat(client.get("/free").status()).isEqualTo(429);
    }
  }

  private static LoopbackClient client(ConfigurableApplicationContext application, String port) {
    return new LoopbackClient(
        URI.create("http://127.0.0.1:" + application.getEnvironment().getProperty(port)));
  }
}
