package dev.redline.bench.quarkus;

import dev.redline.core.RateLimit;
import jakarta.enterprise.context.ApplicationScoped;

/** Beans whose method does nothing, under limits that are never exceeded, as in bench spring. */
abstract class NoOpBean {
  private static final String LIMIT = "100000000/s";

  /** Does nothing. */
  abstract int call(String user);

  /** Without a limit and without an interceptor. */
  @ApplicationScoped
  static class Unlimited extends NoOpBean {
    @Override
    public int call(String user) {
      return user.length();
    }
  }

  /** One limit for all callers. */
  @ApplicationScoped
  static class OfAll extends NoOpBean {
    @Override
    @RateLimit(value = LIMIT, key = "global")
    public int call(String user) {
      return user.length();
    }
  }

  /** A limit for each caller. */
  @ApplicationScoped
  static class OfEach extends NoOpBean {
    @Override
    @RateLimit(value = LIMIT, key = "#user")
    public int call(String user) {
      return user.length();
    }
  }
}
