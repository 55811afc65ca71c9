package dev.redline.bench.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A Spring MVC application with a trivial endpoint, in a JVM of its own; ends with its input. */
final class ServerProbe {
  static final String COMMAND = "server-probe";

  private ServerProbe() {}

  /** The application. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @RestController
  static class TrivialApplication {
    @GetMapping("/hello")
    String hello() {
      return "hello";
    }
  }

  /** Starts the application, prints its port, and waits for the end of the input. */
  static void run(boolean limited) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--server.tomcat.max-keep-alive-requests=-1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=ERROR",
                "--bucket4j.enabled=false"));
    if (limited) {
      arguments.add("--rl.rules[0].id=hello");
      arguments.add("--rl.rules[0].path=/hello");
      arguments.add("--rl.rules[0].key=ip");
      arguments.add("--rl.rules[0].limit=" + NoOp.LIMIT);
    } else {
      arguments.add("--rl.filter.enabled=false");
    }
    try (ConfigurableApplicationContext context =
        SpringApplication.run(TrivialApplication.class, arguments.toArray(String[]::new))) {
      System.out.println(context.getEnvironment().getProperty("local.server.port"));
      while (System.in.read() >= 0) {
        // The parent closes the input.
      }
    }
  }
}
