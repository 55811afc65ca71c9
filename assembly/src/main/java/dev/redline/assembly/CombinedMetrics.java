package dev.redline.assembly;

import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Several exporters that all record the same. */
final class CombinedMetrics implements MetricsExporter {
  private final List<MetricsExporter> exporters;

  private CombinedMetrics(List<MetricsExporter> exporters) {
    this.exporters = exporters;
  }

  static MetricsExporter of(List<MetricsExporter> exporters) {
    List<MetricsExporter> all = exporters.stream().filter(each -> each != NONE).toList();
    return switch (all.size()) {
      case 0 -> NONE;
      case 1 -> all.get(0);
      default -> new CombinedMetrics(all);
    };
  }

  private void each(Consumer<MetricsExporter> action) {
    exporters.forEach(action);
  }

  @Override
  public RuleMeter meter(String ruleSetId, String ruleId) {
    List<RuleMeter> meters =
        exporters.stream().map(exporter -> exporter.meter(ruleSetId, ruleId)).toList();
    return result -> meters.forEach(meter -> meter.count(result));
  }

  @Override
  public void checked(long nanos) {
    each(exporter -> exporter.checked(nanos));
  }

  @Override
  public void stored(String store, boolean success, long nanos) {
    each(exporter -> exporter.stored(store, success, nanos));
  }

  @Override
  public void storeFailed(String store, OnStoreFailure strategy, StoreException.Kind kind) {
    each(exporter -> exporter.storeFailed(store, strategy, kind));
  }

  @Override
  public void inForce(RuleBook book) {
    each(exporter -> exporter.inForce(book));
  }

  @Override
  public void rulesLoaded(boolean success) {
    each(exporter -> exporter.rulesLoaded(success));
  }

  @Override
  public void rulesConfirmed() {
    each(MetricsExporter::rulesConfirmed);
  }

  @Override
  public void waiting(int change) {
    each(exporter -> exporter.waiting(change));
  }

  @Override
  public void eventDropped() {
    each(MetricsExporter::eventDropped);
  }

  @Override
  public void showStore(String store) {
    each(exporter -> exporter.showStore(store));
  }

  @Override
  public void showStoreHealth(String store, BooleanSupplier up) {
    each(exporter -> exporter.showStoreHealth(store, up));
  }

  @Override
  public void showLeases(TokenLeases leases) {
    each(exporter -> exporter.showLeases(leases));
  }

  @Override
  public void showLocalKeys(LongSupplier keys) {
    each(exporter -> exporter.showLocalKeys(keys));
  }

  @Override
  public void showBreaker(String store, List<String> states, Supplier<String> current) {
    each(exporter -> exporter.showBreaker(store, states, current));
  }
}
