package dev.redline.spring.behaviour;

import dev.redline.core.DecisionListener;
import dev.redline.core.RuleChange;
import dev.redline.core.spi.MetricsExporter;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Listeners and a metrics exporter that always throw: every limit must hold nevertheless. */
@Configuration(proxyBeanMethods = false)
class ThrowingObservers {
  @Bean
  DecisionListener throwingListener() {
    return (check, result, rules) -> {
      throw new IllegalStateException("a listener that fails");
    };
  }

  @Bean
  RuleChange.Listener throwingChangeListener() {
    return change -> {
      throw new IllegalStateException("a listener of rules that fails");
    };
  }

  /** The number of callers that wait. */
  @Bean
  AtomicInteger waiting() {
    return new AtomicInteger();
  }

  @Bean
  MetricsExporter throwingMetrics(AtomicInteger waiting) {
    return new MetricsExporter() {
      @Override
      public RuleMeter meter(String ruleSetId, String ruleId) {
        return result -> {
          throw new IllegalStateException("a meter that fails");
        };
      }

      @Override
      public void waiting(int change) {
        waiting.addAndGet(change);
        throw new IllegalStateException("a gauge that fails");
      }

      @Override
      public void checked(long nanos) {
        throw new IllegalStateException("a timer that fails");
      }
    };
  }
}
