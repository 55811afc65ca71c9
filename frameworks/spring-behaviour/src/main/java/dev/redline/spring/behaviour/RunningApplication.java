package dev.redline.spring.behaviour;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.blockhound.BlockHound;

/**
 * An application with a web server on a free port.
 *
 * @param context the application
 */
record RunningApplication(ConfigurableApplicationContext context) implements AutoCloseable {
  static {
    // Before there are threads that it watches: a blocking call on an event loop is an error now.
    // Lines of log may be written there, and a bucket that another thread has locked for some
    // nanoseconds is waited for.
    BlockHound.builder()
        .loadIntegrations()
        .allowBlockingCallsInside("ch.qos.logback.classic.Logger", "callAppenders")
        .allowBlockingCallsInside("dev.redline.core.internal.memory.Bucket", "pause")
        .install();
  }

  /**
   * Starts an application.
   *
   * @param webType the type of its web server: {@code servlet} or {@code reactive}
   * @param more further configurations
   */
  static RunningApplication start(
      Class<?> type, String webType, List<String> properties, Class<?>... more) {
    List<String> arguments = new ArrayList<>();
    arguments.add("--server.port=0");
    arguments.add("--spring.main.web-application-type=" + webType);
    arguments.add("--spring.main.banner-mode=off");
    arguments.add("--logging.level.root=WARN");
    arguments.add("--spring.lifecycle.timeout-per-shutdown-phase=3s");
    properties.forEach(property -> arguments.add("--" + property));
    return new RunningApplication(
        SpringApplication.run(
            Stream.concat(Stream.of(type), Stream.of(more)).toArray(Class<?>[]::new),
            arguments.toArray(String[]::new)));
  }

  URI uri() {
    return URI.create(
        "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
  }

  @Override
  public void close() {
    context.close();
  }
}
