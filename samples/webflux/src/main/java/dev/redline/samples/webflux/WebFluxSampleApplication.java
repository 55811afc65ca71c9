package dev.redline.samples.webflux;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the sample. */
@SpringBootApplication
public class WebFluxSampleApplication {
  /** Starts the sample. */
  public static void main(String[] arguments) {
    SpringApplication.run(WebFluxSampleApplication.class, arguments);
  }
}
