package dev.redline.bench.spring;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A Spring MVC application with a trivial endpoint, in a JVM of its own; ends with its input. */
final class ServerProbe {
  static final String COMMAND = "server-probe";

  private ServerProbe() {}

  /** The application: the same endpoint without and with the filter. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @RestController
  static class TrivialApplication {
    @GetMapping({"/without/hello", "/limited/hello"})
    String hello() {
      return "hello";
    }

    /** Tomcat itself leaves the filter out of the chain of other paths. */
    @Bean
    static BeanPostProcessor filterOfLimitedPathsAlone() {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessBeforeInitialization(Object bean, String name) {
          if (bean instanceof FilterRegistrationBean<?> filter && name.equals("redlineFilter")) {
            filter.setUrlPatterns(List.of("/limited/*"));
          }
          return bean;
        }
      };
    }
  }

  /**
   * Starts the application and prints its port. Then prints, for each line of input, the processor
   * time of the application's threads in nanoseconds.
   */
  static void run() throws Exception {
    try (ConfigurableApplicationContext context =
        SpringApplication.run(
            TrivialApplication.class,
            "--server.port=0",
            "--server.tomcat.max-keep-alive-requests=-1",
            "--spring.main.banner-mode=off",
            "--logging.level.root=ERROR",
            "--bucket4j.enabled=false",
            "--rl.rules[0].id=hello",
            "--rl.rules[0].path=/limited/hello",
            "--rl.rules[0].key=ip",
            "--rl.rules[0].limit=" + NoOp.LIMIT)) {
      System.out.println(context.getEnvironment().getProperty("local.server.port"));
      while (System.in.read() >= 0) {
        System.out.println(processorNanos());
      }
    }
  }

  /** Does not include the threads of the JVM itself, which compile and collect garbage. */
  private static long processorNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long id : threads.getAllThreadIds()) {
      sum += Math.max(0, threads.getThreadCpuTime(id));
    }
    return sum;
  }
}
