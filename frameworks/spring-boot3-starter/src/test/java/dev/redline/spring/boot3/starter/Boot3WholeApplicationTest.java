package dev.redline.spring.boot3.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.StorageProvider;
import dev.redline.spring.boot.test.AutoConfigureRedline;
import dev.redline.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureRedline
class Boot3WholeApplicationTest {
  @Autowired private Boot3Orders orders;
  @Autowired private ManualClock clock;
  @Autowired private RedlineAssembly assembly;

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Boot3Shop {
    @Bean
    Boot3Orders orders() {
      return new Boot3Orders();
    }

    /** Would be the store of the application. */
    @Bean
    StorageProvider ownStore() {
      return new LocalStore(10, MicrosClock.monotonic());
    }
  }

  static class Boot3Orders {
    @RateLimit(value = "1/m", key = "'all'")
    void order() {}
  }

  @RepeatedTest(2)
  void storeOfTheTestReplacesThatOfTheApplication() {
    assertThat(assembly.store()).isNotInstanceOf(LocalStore.class);
    orders.order();
    assertThatThrownBy(orders::order).isInstanceOf(RateLimitExceededException.class);
    clock.advance(Duration.ofMinutes(1));
    orders.order();
  }
}
