package dev.redline.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The objects of a deployment in Kubernetes, and what must hold for them together. */
record RedlineObjects(List<KubernetesObject> all) {
  JsonNode only(String kind) {
    List<KubernetesObject> found =
        all.stream().filter(object -> object.kind().equals(kind)).toList();
    assertThat(found).as(kind).hasSize(1);
    return found.get(0).json();
  }

  JsonNode pod() {
    return only("Deployment").at("/spec/template/spec");
  }

  JsonNode container() {
    return pod().at("/containers/0");
  }

  /** Returns the variables of the container that have a plain value. */
  Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>();
    container()
        .get("env")
        .forEach(
            variable ->
                variables.put(variable.get("name").asText(), variable.path("value").asText()));
    return variables;
  }

  void assertValid() {
    assertThat(all).isNotEmpty();
    for (KubernetesObject object : all) {
      assertThatCode(object::validate).as(object.toString()).doesNotThrowAnyException();
    }
    assertRestricted();
    assertConnected();
    assertThat(variables().keySet())
        .filteredOn(name -> name.startsWith("RL_"))
        .isNotEmpty()
        .allMatch(DeployFiles::isKnownVariable);
  }

  /** What the Pod Security Standard "restricted" demands, and a read-only root. */
  private void assertRestricted() {
    JsonNode pod = pod().get("securityContext");
    assertThat(pod.get("runAsNonRoot").asBoolean()).isTrue();
    assertThat(pod.get("runAsUser").asInt()).isPositive();
    assertThat(pod.at("/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
    JsonNode context = container().get("securityContext");
    assertThat(context.get("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(context.get("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(context.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
    assertThat(pod().get("automountServiceAccountToken").asBoolean(true)).isFalse();
  }

  /** What refers to another object or field finds it. */
  private void assertConnected() {
    JsonNode deployment = only("Deployment");
    JsonNode labels = deployment.at("/spec/template/metadata/labels");
    List<JsonNode> selectors = new ArrayList<>();
    selectors.add(deployment.at("/spec/selector/matchLabels"));
    List<String> ports = new ArrayList<>();
    container().get("ports").forEach(port -> ports.add(port.get("name").asText()));
    for (KubernetesObject object : all) {
      switch (object.kind()) {
        case "Service" -> {
          selectors.add(object.json().at("/spec/selector"));
          object
              .json()
              .at("/spec/ports")
              .forEach(port -> assertThat(ports).contains(port.get("targetPort").asText()));
        }
        case "PodDisruptionBudget" -> selectors.add(object.json().at("/spec/selector/matchLabels"));
        case "NetworkPolicy" -> selectors.add(object.json().at("/spec/podSelector/matchLabels"));
        case "HorizontalPodAutoscaler" ->
            assertThat(object.json().at("/spec/scaleTargetRef/name").asText())
                .isEqualTo(deployment.at("/metadata/name").asText());
        default -> {}
      }
    }
    for (JsonNode selector : selectors) {
      assertThat(selector.properties()).isNotEmpty();
      selector
          .properties()
          .forEach(label -> assertThat(labels.get(label.getKey())).isEqualTo(label.getValue()));
    }
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      JsonNode get = container().at("/" + probe + "/httpGet");
      assertThat(ports).contains(get.get("port").asText());
      assertThat(get.get("path").asText()).startsWith("/actuator/health/");
    }
    assertThat(pod().get("serviceAccountName").asText())
        .isEqualTo(only("ServiceAccount").at("/metadata/name").asText());
    assertThat(pod().at("/volumes/0/configMap/name").asText())
        .isEqualTo(only("ConfigMap").at("/metadata/name").asText());
    List<String> volumes = new ArrayList<>();
    pod().get("volumes").forEach(volume -> volumes.add(volume.get("name").asText()));
    container()
        .get("volumeMounts")
        .forEach(mount -> assertThat(volumes).contains(mount.get("name").asText()));
  }
}
