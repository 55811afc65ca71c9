package dev.redline.spring.boot.test;

import dev.redline.spring.boot.autoconfigure.RedlineAutoConfiguration;
import dev.redline.testkit.ManualClock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The store and the clock of tests. */
@AutoConfiguration(before = RedlineAutoConfiguration.class)
public class RedlineTestAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  ManualClock redlineTestClock() {
    return new ManualClock();
  }

  /** Comes before a store of the application. */
  @Bean
  @Primary
  StoreUnderManualClock redlineTestStore(ManualClock clock) {
    return new StoreUnderManualClock(clock);
  }
}
