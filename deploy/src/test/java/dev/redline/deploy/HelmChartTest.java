package dev.redline.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The chart as Helm itself renders it. Helm is a native library; this build has that of Linux. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class HelmChartTest {
  private static final Helm CHART = new Helm(DeployFiles.ROOT.resolve("helm/redline"));

  private static RedlineObjects render(String release, Map<String, String> values) {
    TemplateCommand command =
        CHART.template().withName(release).withNamespace("limits").withKubeVersion("1.25.0");
    values.forEach(command::set);
    return new RedlineObjects(KubernetesObject.of(command.call()));
  }

  @Test
  void lintFindsNothing() {
    LintResult result = CHART.lint().strict().call();

    assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
  }

  @Test
  void defaultsRenderTheSamePodAsTheManifests() {
    RedlineObjects objects = render("redline", Map.of());

    objects.assertValid();
    assertThat(objects.all())
        .map(KubernetesObject::toString)
        .containsExactlyInAnyOrder(
            "ConfigMap redline-rules",
            "Secret redline",
            "ServiceAccount redline",
            "Service redline",
            "Service redline-management",
            "Deployment redline",
            "PodDisruptionBudget redline",
            "HorizontalPodAutoscaler redline",
            "NetworkPolicy redline");
    JsonNode manifest = KubernetesManifestsTest.manifests().container();
    for (String field :
        List.of(
            "image",
            "ports",
            "startupProbe",
            "livenessProbe",
            "readinessProbe",
            "lifecycle",
            "resources",
            "securityContext",
            "volumeMounts")) {
      assertThat(objects.container().get(field)).as(field).isEqualTo(manifest.get(field));
    }
    assertThat(KubernetesManifestsTest.manifests().variables())
        .containsAllEntriesOf(objects.variables());
  }

  @Test
  void aStoreInMemoryNeedsNoSecret() {
    RedlineObjects objects =
        render(
            "edge", Map.of("store.type", "LOCAL", "autoscaling.enabled", "false", "replicas", "1"));

    objects.assertValid();
    assertThat(objects.all())
        .noneMatch(object -> object.kind().equals("Secret"))
        .noneMatch(object -> object.kind().equals("HorizontalPodAutoscaler"))
        .allMatch(object -> object.name().startsWith("edge-redline"));
    assertThat(objects.only("Deployment").at("/spec/replicas").asInt()).isEqualTo(1);
    assertThat(objects.variables())
        .containsEntry("RL_STORAGE_TYPE", "LOCAL")
        .doesNotContainKey("RL_REDIS_URI_FILE")
        .doesNotContainKey("RL_ADMIN_TOKENS_OPERATOR_FILE");
  }

  @Test
  void valuesBecomePropertiesAndSecrets() {
    RedlineObjects objects =
        render(
            "redline",
            Map.of(
                "secret.adminToken",
                "0123456789abcdef",
                "secret.redisUri",
                "rediss://cache:6380",
                "properties.rl\\.fail\\.closed-status",
                "503",
                "rules.more\\.yaml",
                "rules: []"));

    objects.assertValid();
    assertThat(objects.only("Secret").at("/stringData/redis-uri").asText())
        .isEqualTo("rediss://cache:6380");
    assertThat(objects.only("Secret").at("/stringData/admin-token").asText())
        .isEqualTo("0123456789abcdef");
    assertThat(objects.variables())
        .containsEntry("RL_FAIL_CLOSED_STATUS", "503")
        .containsEntry("RL_ADMIN_TOKENS_OPERATOR_ROLE", "editor");
    assertThat(objects.only("ConfigMap").get("data").properties()).hasSize(2);
    assertThat(objects.only("Deployment").toString()).doesNotContain("0123456789abcdef");
  }

  @Test
  void anExistingSecretIsUsed() {
    RedlineObjects objects = render("redline", Map.of("secret.existing", "ours"));

    objects.assertValid();
    assertThat(objects.all()).noneMatch(object -> object.kind().equals("Secret"));
    assertThat(objects.pod().get("volumes").toString()).contains("\"secretName\":\"ours\"");
    assertThat(objects.variables()).containsKey("RL_ADMIN_TOKENS_OPERATOR_FILE");
  }

  @Test
  void anEmptyListOfClientsOrOperatorsAdmitsNone(@TempDir Path directory) throws IOException {
    for (String none : List.of("clients", "operators")) {
      Path values = directory.resolve(none + ".yaml");
      Files.writeString(values, "networkPolicy: { " + none + ": [] }");
      TemplateCommand command =
          CHART.template().withName("redline").withKubeVersion("1.25.0").withValuesFile(values);
      RedlineObjects objects = new RedlineObjects(KubernetesObject.of(command.call()));

      assertThat(objects.only("NetworkPolicy").at("/spec/ingress"))
          .as(none)
          .hasSize(1)
          .allSatisfy(rule -> assertThat(rule.get("from")).isNotEmpty())
          .allSatisfy(
              rule ->
                  assertThat(rule.at("/ports/0/port").asText())
                      .isEqualTo(none.equals("clients") ? "management" : "http"));
    }
  }

  @Test
  void rejectsMisspelledAndWrongValues() {
    for (Map<String, String> values :
        List.of(
            Map.of("stor.type", "REDIS"),
            Map.of("store.type", "REDDIS"),
            Map.of("secret.adminToken", "short"),
            Map.of("properties.storage", "REDIS"))) {
      assertThatThrownBy(() -> render("redline", values))
          .as(values.toString())
          .hasMessageContaining("schema");
    }
  }
}
