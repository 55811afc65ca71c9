package dev.redline.server.management;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Gives {@code http.server.requests} of the management port the same tags as on the data plane:
 * Prometheus requires the same tags on all time series of a metric.
 */
final class ManagementPlaneTags implements MeterFilter {
  private static final String NAME = "http.server.requests";
  private static final Set<String> SHARED = Set.of("method", "uri", "status", "outcome");

  @Override
  public Meter.Id map(Meter.Id id) {
    if (!id.getName().equals(NAME) || id.getTag("plane") != null) {
      return id;
    }
    List<Tag> tags = new ArrayList<>(id.getTags());
    tags.removeIf(tag -> !SHARED.contains(tag.getKey()));
    tags.add(Tag.of("plane", "management"));
    return id.replaceTags(tags);
  }

  @Override
  public MeterFilterReply accept(Meter.Id id) {
    return id.getName().equals(NAME + ".active") ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
  }
}
