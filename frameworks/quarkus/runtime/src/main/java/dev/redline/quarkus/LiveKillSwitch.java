package dev.redline.quarkus;

import dev.redline.application.ApplicationSettings;
import dev.redline.core.RateLimitEngine;
import io.smallrye.config.SmallRyeConfig;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Switches the engine when {@code rl.enabled} changes in a source of the configuration that is read
 * again, such as a system property. Other properties are fixed at the start. What the application
 * sets with {@link RateLimitEngine#enable} stays until the property changes.
 */
@Singleton
public class LiveKillSwitch {
  private static final Logger LOG = System.getLogger(LiveKillSwitch.class.getName());
  private static final long INTERVAL_MILLIS = 1000;

  private final SmallRyeConfig config;
  private final RateLimitEngine engine;
  private final Vertx vertx;
  private boolean last;
  private long timer;

  @Inject
  LiveKillSwitch(
      SmallRyeConfig config, ApplicationSettings settings, RateLimitEngine engine, Vertx vertx) {
    this.config = config;
    this.engine = engine;
    this.vertx = vertx;
    this.last = settings.core().enabled();
  }

  /** Begins to look at the property, on threads that may block, as a source may. */
  void start() {
    timer =
        vertx.setPeriodic(
            INTERVAL_MILLIS,
            id ->
                vertx.executeBlocking(
                    () -> {
                      check();
                      return true;
                    }));
  }

  private synchronized void check() {
    try {
      boolean enabled = config.getOptionalValue("rl.enabled", Boolean.class).orElse(true);
      if (enabled != last) {
        last = enabled;
        engine.enable(enabled);
        LOG.log(Level.INFO, "rl.enabled is {0} now", enabled);
      }
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "rl.enabled cannot be read; the engine stays as it is", e);
    }
  }

  @PreDestroy
  void stop() {
    vertx.cancelTimer(timer);
  }
}
