package dev.redline.core;

import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import java.lang.System.Logger;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * An application's exporter whose failures are logged and go no further: also an {@link Error}
 * changes no decision, and nothing that was acquired for a decision is lost.
 */
final class GuardedMetrics implements MetricsExporter {
  private static final Logger LOG = System.getLogger(GuardedMetrics.class.getName());

  private final MetricsExporter exporter;
  private final FailureLog failures;

  private GuardedMetrics(MetricsExporter exporter) {
    this.exporter = exporter;
    this.failures =
        new FailureLog(LOG, "a metrics exporter failed: " + exporter.getClass().getName());
  }

  /** Returns a guard around the exporter; {@link MetricsExporter#NONE} needs none. */
  static MetricsExporter of(MetricsExporter exporter) {
    return exporter == NONE ? NONE : new GuardedMetrics(exporter);
  }

  @Override
  public RuleMeter meter(String ruleSetId, String ruleId) {
    RuleMeter meter;
    try {
      meter = exporter.meter(ruleSetId, ruleId);
    } catch (Throwable e) {
      failures.failed(e);
      return RuleMeter.NONE;
    }
    return meter == RuleMeter.NONE ? meter : new GuardedMeter(meter, failures);
  }

  @Override
  public void checked(long nanos) {
    try {
      exporter.checked(nanos);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void stored(String store, boolean answered, long nanos) {
    try {
      exporter.stored(store, answered, nanos);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void storeFailed(String store, OnStoreFailure strategy, StoreException.Kind kind) {
    try {
      exporter.storeFailed(store, strategy, kind);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void inForce(RuleBook book) {
    try {
      exporter.inForce(book);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void rulesLoaded(boolean success) {
    try {
      exporter.rulesLoaded(success);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void rulesConfirmed() {
    try {
      exporter.rulesConfirmed();
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void waiting(int change) {
    try {
      exporter.waiting(change);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void showStore(String store) {
    try {
      exporter.showStore(store);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void showStoreHealth(String store, BooleanSupplier up) {
    try {
      exporter.showStoreHealth(store, up);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void showLeases(TokenLeases leases) {
    try {
      exporter.showLeases(leases);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void showLocalKeys(LongSupplier keys) {
    try {
      exporter.showLocalKeys(keys);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void showBreaker(String store, List<String> states, Supplier<String> current) {
    try {
      exporter.showBreaker(store, states, current);
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  @Override
  public void eventDropped() {
    try {
      exporter.eventDropped();
    } catch (Throwable e) {
      failures.failed(e);
    }
  }

  private record GuardedMeter(RuleMeter meter, FailureLog failures) implements RuleMeter {
    @Override
    public void count(RuleResult result) {
      try {
        meter.count(result);
      } catch (Throwable e) {
        failures.failed(e);
      }
    }
  }
}
