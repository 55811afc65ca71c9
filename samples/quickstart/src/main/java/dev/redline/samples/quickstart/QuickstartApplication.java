package dev.redline.samples.quickstart;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the sample. */
@SpringBootApplication
public class QuickstartApplication {
  /** Starts the sample. */
  public static void main(String[] arguments) {
    SpringApplication.run(QuickstartApplication.class, arguments);
  }
}
