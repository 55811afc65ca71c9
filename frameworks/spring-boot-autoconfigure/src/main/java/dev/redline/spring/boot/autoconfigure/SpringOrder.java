package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.DefaultOrder;

/** Where Redline is among the filters and advisors of a Spring application unless set. */
final class SpringOrder {
  /** After Spring Security, whose filter has the order -100: the user is known then. */
  static final int FILTER_AFTER_SECURITY = -50;

  /** After method security, whose advisors have 100 to 600; caches and transactions come last. */
  private static final int ADVISOR_AFTER_SECURITY = 1000;

  /** Reads the properties of Spring applications. */
  static final ApplicationSettings.Reader PROPERTIES =
      new ApplicationSettings.Reader(
          new DefaultOrder(
              FILTER_AFTER_SECURITY,
              "the place among the filters of the application; Spring Security has -100, and a"
                  + " filter before it knows no user"),
          new DefaultOrder(
              ADVISOR_AFTER_SECURITY,
              "the place of `@RateLimit` among the advisors of a method; by default after method"
                  + " security and before cache, transaction and retry"));

  private SpringOrder() {}
}
