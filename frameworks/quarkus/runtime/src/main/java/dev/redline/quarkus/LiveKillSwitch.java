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
import java.util.Locale;

/**
 * Switches the engine when {@code rl.enabled} changes in a source of the configuration that is read
 * again, such as a system property. Other properties are fixed at the start. What the application
 * sets with {@link RateLimitEngine#enable} stays until the property changes.
 */
@Singleton
public class LiveKillSwitch {
  private static final Logger LOG = System.getLogger(LiveKillSwitch.class.getName());
  private static final String NAME = "rl.enabled";
  private static final long INTERVAL_MILLIS = 1000;

  private final SmallRyeConfig config;
  private final RateLimitEngine engine;
  private final Vertx vertx;
  private boolean last;
  private String lastWarning = "";
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

  synchronized void check() {
    boolean enabled;
    try {
      enabled = config.getOptionalValue(NAME, String.class).map(LiveKillSwitch::parse).orElse(true);
    } catch (RuntimeException e) {
      warnOnce(NAME + " stays " + last + ": " + e.getMessage());
      return;
    }
    lastWarning = "";
    if (enabled != last) {
      last = enabled;
      engine.enable(enabled);
      LOG.log(
          Level.WARNING, NAME + " is " + enabled + " now: limiting is " + (enabled ? "on" : "off"));
    }
  }

  /** Returns the value; a text that is neither may not switch all limits off. */
  private static boolean parse(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
    };
  }

  private void warnOnce(String text) {
    if (!text.equals(lastWarning)) {
      lastWarning = text;
      LOG.log(Level.WARNING, text);
    }
  }

  @PreDestroy
  void stop() {
    vertx.cancelTimer(timer);
  }
}
