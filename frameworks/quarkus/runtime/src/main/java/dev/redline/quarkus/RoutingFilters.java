package dev.redline.quarkus;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.application.WebFilterSettings;
import dev.redline.core.settings.InvalidSettingsException;
import io.quarkus.vertx.http.runtime.filters.Filters;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;

/** Registers the filters of {@code rl.filter.*} and {@code rl.filters.<name>.*}. */
@Singleton
public class RoutingFilters {
  void register(
      @Observes Filters filters,
      ApplicationSettings settings,
      ChosenHandler handler,
      RoutingRequests requests,
      RoutingResponses responses) {
    List<String> problems = new ArrayList<>();
    settings
        .filters()
        .forEach(
            (name, filter) -> {
              if (filter.order() < 0) {
                problems.add(
                    (name.isEmpty() ? "rl.filter" : WebFilterSettings.NAMED + name)
                        + ".order: must be 0 or greater in Quarkus, where the highest is first; was "
                        + filter.order());
              } else if (filter.enabled()) {
                filters.register(
                    new RoutingFilter(
                        RoutingFilter.class.getName() + '.' + name,
                        settings.limiterOf(name, handler),
                        filter.paths(),
                        requests,
                        responses),
                    filter.order());
              }
            });
    if (!problems.isEmpty()) {
      throw new InvalidSettingsException(problems);
    }
  }
}
