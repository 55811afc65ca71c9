package dev.redline.bench.spring;

import com.giffing.bucket4j.spring.boot.starter.context.RateLimiting;
import dev.redline.core.RateLimit;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;

/** Beans whose method does nothing, under limits that are never exceeded. */
abstract class NoOp {
  /** The limit of Redline, which the properties of the others repeat. */
  static final String LIMIT = "100000000/s";

  /** Does nothing. */
  abstract int call(String user);

  /** Without a limit and without a proxy. */
  static class Unlimited extends NoOp {
    @Override
    public int call(String user) {
      return user.length();
    }
  }

  /** One limit for all callers, as the peers have. */
  static class RedlineGlobal extends NoOp {
    @Override
    @RateLimit(value = LIMIT, key = "global")
    public int call(String user) {
      return user.length();
    }
  }

  /** A limit for each caller. */
  static class RedlineKeyed extends NoOp {
    @Override
    @RateLimit(value = LIMIT, key = "#user")
    public int call(String user) {
      return user.length();
    }
  }

  /** One limit for all callers. */
  static class Resilience4jGlobal extends NoOp {
    @Override
    @RateLimiter(name = "bench")
    public int call(String user) {
      return user.length();
    }
  }

  /** One limit for all callers. */
  static class Bucket4jGlobal extends NoOp {
    @Override
    @RateLimiting(name = "bench")
    public int call(String user) {
      return user.length();
    }
  }

  /** A limit for each caller. */
  static class Bucket4jKeyed extends NoOp {
    @Override
    @RateLimiting(name = "bench", cacheKey = "#user")
    public int call(String user) {
      return user.length();
    }
  }
}
