package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusAlternativeBeanTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(QuarkusAlternativeBeanTest.class));

  @Inject Counted counted;

  /** Denies everything. */
  @Singleton
  public static class DenyingHandler implements RateLimitHandler {
    @Override
    public CompletionStage<RateLimitResult> handle(LimitCheck check) {
      return CompletableFuture.completedFuture(RateLimitResult.of(Reason.BLOCKED));
    }
  }

  /** Allows everything, in place of the other one. */
  @Singleton
  @Alternative
  @Priority(1)
  public static class AllowingHandler implements RateLimitHandler {
    @Override
    public CompletionStage<RateLimitResult> handle(LimitCheck check) {
      return CompletableFuture.completedFuture(RateLimitResult.of(Reason.ALLOWED));
    }
  }

  /** A bean with a limit. */
  @ApplicationScoped
  public static class Counted {
    @RateLimit(value = "1/h", key = "'all'")
    String call() {
      return "called";
    }
  }

  @Test
  void alternativeReplacesTheOtherBeanOfItsType() {
    for (int i = 0; i < 3; i++) {
      assertThat(counted.call()).isEqualTo("called");
    }
  }
}
