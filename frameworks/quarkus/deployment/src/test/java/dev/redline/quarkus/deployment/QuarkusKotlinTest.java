package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.RateLimitExceededException;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusKotlinTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest().withApplicationRoot(root -> root.addClass(KotlinOrders.class));

  @Inject KotlinOrders orders;

  @Test
  void methodOfAKotlinClassIsLimitedByItsParameter() {
    assertThat(orders.buy("alice", 2)).isEqualTo("alice bought 2");
    assertThatThrownBy(() -> orders.buy("alice", 1)).isInstanceOf(RateLimitExceededException.class);
    assertThat(orders.buy("bob", 1)).isEqualTo("bob bought 1");
  }

  @Test
  void fallbackOfAKotlinClassIsCalled() {
    assertThat(orders.sell()).isEqualTo("sold");
    assertThat(orders.sell()).isEqualTo("later");
  }
}
