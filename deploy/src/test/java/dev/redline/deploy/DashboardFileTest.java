package dev.redline.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The dashboard file, as far as it can be checked without Grafana. */
class DashboardFileTest {
  private final Dashboard dashboard = new Dashboard();

  @Test
  void showsWhatOperatorsNeed() {
    assertThat(dashboard.panels())
        .map(panel -> panel.get("title").asText())
        .contains(
            "Service up",
            "5xx rate, 5m",
            "Fail-closed events, 5m",
            "Decisions by rule and result",
            "Latency of checks",
            "Latency of the store",
            "Circuit breaker",
            "Most denied rules, 5m",
            "Rule version",
            "Last reload");
  }

  @Test
  void panelsUseTheProvisionedDataSource() {
    JsonNode source =
        DeployFiles.yaml(DeployFiles.text("grafana/provisioning/datasources/prometheus.yml"))
            .get(0)
            .at("/datasources/0");
    for (JsonNode panel : dashboard.panels()) {
      assertThat(panel.at("/datasource/uid")).isEqualTo(source.get("uid"));
      assertThat(panel.at("/datasource/type")).isEqualTo(source.get("type"));
      panel
          .get("targets")
          .forEach(
              target -> assertThat(target.get("datasource")).isEqualTo(panel.get("datasource")));
    }
  }

  @Test
  void panelsHaveTheirOwnIdsAndPlaces() {
    Set<Integer> ids = new HashSet<>();
    Set<List<Integer>> cells = new HashSet<>();
    for (JsonNode panel : dashboard.panels()) {
      assertThat(ids.add(panel.get("id").asInt())).isTrue();
      JsonNode place = panel.get("gridPos");
      assertThat(place.get("x").asInt() + place.get("w").asInt()).isLessThanOrEqualTo(24);
      for (int x = 0; x < place.get("w").asInt(); x++) {
        for (int y = 0; y < place.get("h").asInt(); y++) {
          List<Integer> cell = List.of(place.get("x").asInt() + x, place.get("y").asInt() + y);
          assertThat(cells.add(cell)).as(panel.get("title").asText()).isTrue();
        }
      }
    }
  }

  @Test
  void composeMountsTheFoldersThatTheProviderReads() {
    String path =
        DeployFiles.yaml(DeployFiles.text("grafana/provisioning/dashboards/redline.yml"))
            .get(0)
            .at("/providers/0/options/path")
            .asText();
    assertThat(DeployFiles.text("container/compose.yaml"))
        .contains("- ../grafana/dashboards:" + path + ":ro");
  }
}
