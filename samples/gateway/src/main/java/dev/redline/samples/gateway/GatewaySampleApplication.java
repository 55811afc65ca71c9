package dev.redline.samples.gateway;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the gateway and the upstream behind it. */
@SpringBootApplication
public class GatewaySampleApplication {
  /** Starts the sample. */
  public static void main(String[] arguments) {
    start(arguments);
  }

  static ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplicationBuilder(GatewaySampleApplication.class)
        .initializers(new SampleUpstream())
        .run(arguments);
  }
}
