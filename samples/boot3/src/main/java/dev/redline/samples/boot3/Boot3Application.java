package dev.redline.samples.boot3;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the sample. */
@SpringBootApplication
public class Boot3Application {
  /** Starts the sample. */
  public static void main(String[] arguments) {
    SpringApplication.run(Boot3Application.class, arguments);
  }
}
