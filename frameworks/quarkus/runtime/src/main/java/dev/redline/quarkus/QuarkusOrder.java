package dev.redline.quarkus;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.DefaultOrder;

/** Where Redline is among the filters and interceptors of a Quarkus application unless set. */
public final class QuarkusOrder {
  /** After authorization, which has 100: the user is known then. */
  public static final int FILTER_AFTER_AUTHORIZATION = 50;

  /**
   * Before caches (0), transactions (200) and retries (4010). Quarkus checks the security of
   * endpoints before any interceptor.
   */
  public static final int INTERCEPTOR_BEFORE_CACHE = -100;

  /** Reads the properties of Quarkus applications. */
  public static final ApplicationSettings.Reader PROPERTIES =
      new ApplicationSettings.Reader(
          new DefaultOrder(
              FILTER_AFTER_AUTHORIZATION,
              "the priority among the filters of the application, the highest first; CORS has 300,"
                  + " authentication 200, authorization 100"),
          new DefaultOrder(
              INTERCEPTOR_BEFORE_CACHE,
              "the priority of `@RateLimit` among the interceptors of a method, the lowest first;"
                  + " fixed when the application is built"));

  private QuarkusOrder() {}
}
