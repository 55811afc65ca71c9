package dev.redline.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The files for Prometheus, read by its own tool. */
@Tag("debian")
@Timeout(60)
class PrometheusRulesTest {
  private static void promtool(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command)
            .directory(DeployFiles.ROOT.resolve("prometheus").toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  @Test
  void configurationIsValid() throws Exception {
    promtool("check", "config", "prometheus.yml");
  }

  @Test
  void rulesPassTheirTests() throws Exception {
    promtool("test", "rules", "redline-tests.yml");
  }

  @Test
  void everyAlertHasATestInWhichItFires() {
    TreeSet<String> alerts = new TreeSet<>();
    for (JsonNode rule :
        DeployFiles.yaml(DeployFiles.text("prometheus/redline-alerts.yml"))
            .get(0)
            .at("/groups/0/rules")) {
      alerts.add(rule.get("alert").asText());
    }
    TreeSet<String> fired = new TreeSet<>();
    for (JsonNode test :
        DeployFiles.yaml(DeployFiles.text("prometheus/redline-tests.yml")).get(0).get("tests")) {
      for (JsonNode expected : test.path("alert_rule_test")) {
        if (!expected.get("exp_alerts").isEmpty()) {
          fired.add(expected.get("alertname").asText());
        }
      }
    }
    assertThat(fired).isEqualTo(alerts);
  }
}
