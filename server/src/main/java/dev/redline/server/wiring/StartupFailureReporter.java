package dev.redline.server.wiring;

import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Keeps Spring from logging a stack trace for failures that the command line explains. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartupFailureReporter implements SpringBootExceptionReporter {
  StartupFailureReporter(ConfigurableApplicationContext context) {}

  @Override
  public boolean reportException(Throwable failure) {
    return StartupFailure.behind(failure).isPresent();
  }
}
