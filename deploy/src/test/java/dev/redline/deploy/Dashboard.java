package dev.redline.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The dashboard of Grafana. */
final class Dashboard {
  /**
   * A query of a panel.
   *
   * @param expression the query, with its variables replaced
   */
  record Query(String panel, String expression) {}

  private final JsonNode json =
      DeployFiles.json(DeployFiles.text("grafana/dashboards/redline.json"));

  JsonNode json() {
    return json;
  }

  List<JsonNode> panels() {
    List<JsonNode> panels = new ArrayList<>();
    json.get("panels").forEach(panels::add);
    return panels;
  }

  List<Query> queries() {
    List<Query> queries = new ArrayList<>();
    for (JsonNode panel : panels()) {
      for (JsonNode target : panel.get("targets")) {
        String expression = target.get("expr").asText().replace("$job", "redline");
        queries.add(new Query(panel.get("title").asText(), expression));
      }
    }
    return queries;
  }
}
