package dev.redline.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KubernetesManifestsTest {
  static RedlineObjects manifests() {
    List<KubernetesObject> objects = new ArrayList<>();
    for (JsonNode file :
        DeployFiles.yaml(DeployFiles.text("kubernetes/kustomization.yaml"))
            .get(0)
            .get("resources")) {
      objects.addAll(KubernetesObject.of(DeployFiles.text("kubernetes/" + file.asText())));
    }
    return new RedlineObjects(objects);
  }

  @Test
  void manifestsAreValidAndFitTogether() {
    manifests().assertValid();
  }

  @Test
  void kustomizationNamesAllFiles() throws IOException {
    List<String> named = new ArrayList<>();
    DeployFiles.yaml(DeployFiles.text("kubernetes/kustomization.yaml"))
        .get(0)
        .get("resources")
        .forEach(file -> named.add(file.asText()));
    try (Stream<String> files =
        Files.list(DeployFiles.ROOT.resolve("kubernetes"))
            .map(file -> file.getFileName().toString())
            .filter(name -> !name.equals("kustomization.yaml"))) {
      assertThat(files).containsExactlyInAnyOrderElementsOf(named);
    }
  }

  @Test
  void theCheckRejectsUnknownFieldsWrongTypesAndMissingFields() {
    String good = DeployFiles.text("kubernetes/deployment.yaml");
    for (List<String> change :
        List.of(
            List.of("readOnlyRootFilesystem:", "readOnlyRootFileSystem:"),
            List.of("terminationGracePeriodSeconds: 45", "terminationGracePeriodSeconds: soon"),
            List.of("- name: redline\n          image", "- image"),
            List.of("apiVersion: apps/v1", "apiVersion: extensions/v1beta1"))) {
      assertThat(good).contains(change.get(0));
      KubernetesObject bad = KubernetesObject.of(good.replace(change.get(0), change.get(1))).get(0);
      assertThatThrownBy(bad::validate).as(change.get(1)).isInstanceOf(Exception.class);
    }
  }
}
