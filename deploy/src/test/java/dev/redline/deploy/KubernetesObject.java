package dev.redline.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * An object of a manifest, checked against the types that are generated from the OpenAPI document
 * of Kubernetes: unknown fields, missing required fields and wrong types are rejected.
 */
record KubernetesObject(JsonNode json) {
  private interface Check {
    void of(JsonElement json) throws IOException;
  }

  private interface Reader {
    Object of(String json) throws IOException;
  }

  private record Type(Check fields, Reader values) {}

  private static final Map<String, Type> TYPES =
      Map.of(
          "v1 ConfigMap", new Type(V1ConfigMap::validateJsonElement, V1ConfigMap::fromJson),
          "v1 Secret", new Type(V1Secret::validateJsonElement, V1Secret::fromJson),
          "v1 Service", new Type(V1Service::validateJsonElement, V1Service::fromJson),
          "v1 ServiceAccount",
              new Type(V1ServiceAccount::validateJsonElement, V1ServiceAccount::fromJson),
          "apps/v1 Deployment", new Type(V1Deployment::validateJsonElement, V1Deployment::fromJson),
          "policy/v1 PodDisruptionBudget",
              new Type(V1PodDisruptionBudget::validateJsonElement, V1PodDisruptionBudget::fromJson),
          "autoscaling/v2 HorizontalPodAutoscaler",
              new Type(
                  V2HorizontalPodAutoscaler::validateJsonElement,
                  V2HorizontalPodAutoscaler::fromJson),
          "networking.k8s.io/v1 NetworkPolicy",
              new Type(V1NetworkPolicy::validateJsonElement, V1NetworkPolicy::fromJson));

  static List<KubernetesObject> of(String yaml) {
    return DeployFiles.yaml(yaml).stream().map(KubernetesObject::new).toList();
  }

  String kind() {
    return json.path("kind").asText();
  }

  String name() {
    return json.path("metadata").path("name").asText();
  }

  /** Throws an exception if the object is not one of the Kubernetes API. */
  void validate() throws IOException {
    String kind = json.path("apiVersion").asText() + " " + kind();
    Type type = TYPES.get(kind);
    if (type == null) {
      throw new IllegalArgumentException("'" + kind + "' is none of " + TYPES.keySet());
    }
    type.fields.of(JsonParser.parseString(json.toString()));
    var unused = type.values.of(json.toString());
  }

  @Override
  public String toString() {
    return kind() + " " + name();
  }
}
