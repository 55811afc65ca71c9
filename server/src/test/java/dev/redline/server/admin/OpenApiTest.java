package dev.redline.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the OpenAPI description of the admin API with its responses. */
class OpenApiTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonSchemaFactory SCHEMAS =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
  private static final String RULE = "{\"id\":\"new\",\"path\":\"/new\",\"limit\":\"3/d\"}";

  private static TestServer server;
  private static AdminClient admin;
  private static JsonNode description;

  private final Set<String> seen = new TreeSet<>();

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start(AdminClient.RULES, AdminClient.tokens());
    admin = AdminClient.editor(server);
    description = JSON.readTree(server.get(server.management("/admin/v1/openapi.json")).body());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private HttpResponse<String> call(
      String method, String template, String path, String body, String... headers)
      throws IOException {
    return call(admin, method, template, path, body, headers);
  }

  private HttpResponse<String> call(
      AdminClient client,
      String method,
      String template,
      String path,
      String body,
      String... headers)
      throws IOException {
    URI uri = server.management(path);
    HttpRequest.Builder request =
        client
            .request(uri)
            .method(method, BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return hold(method, template, server.send(request));
  }

  /** Checks an answer against its description. */
  private HttpResponse<String> hold(String method, String template, HttpResponse<String> answer)
      throws IOException {
    String what = method + " " + template + " " + answer.statusCode();
    seen.add(what);
    JsonNode response =
        description
            .path("paths")
            .path(template)
            .path(method.toLowerCase(Locale.ROOT))
            .path("responses")
            .path(Integer.toString(answer.statusCode()));
    assertThat(response.isMissingNode()).as(what + " is described: " + answer.body()).isFalse();
    Iterator<String> fields = response.path("headers").fieldNames();
    while (fields.hasNext()) {
      assertThat(answer.headers().firstValue(fields.next())).as(what).isPresent();
    }
    if (!response.has("content")) {
      assertThat(answer.body()).as(what).isEmpty();
      return answer;
    }
    String type = answer.headers().firstValue("Content-Type").orElseThrow();
    JsonNode schema = response.path("content").path(type).path("schema");
    assertThat(schema.isMissingNode()).as(what + " as " + type).isFalse();
    ObjectNode whole = schema.deepCopy();
    whole.set("components", description.get("components"));
    assertThat(SCHEMAS.getSchema(whole).validate(JSON.readTree(answer.body())))
        .as(what + ": " + answer.body())
        .isEmpty();
    return answer;
  }

  @Test
  void everyOperationRespondsAsDescribed() throws IOException {
    String rules = "/admin/v1/rules";
    String one = "/admin/v1/rules/{id}";
    call("GET", rules, rules, "");
    call("POST", rules, rules, RULE);
    call("POST", rules, rules, RULE);
    call("POST", rules, rules, "{\"id\":\"x\",\"lmit\":\"1/s\"}");
    call("POST", rules, rules, "{\"x\":\"" + "y".repeat(1 << 20) + "\"}");
    call(AdminClient.viewer(server), "POST", rules, rules, RULE);
    call(new AdminClient(server, "wrong"), "GET", rules, rules, "");
    String etag = call("GET", one, rules + "/new", "").headers().firstValue("ETag").orElseThrow();
    call("GET", one, rules + "/new", "", "If-None-Match", etag);
    call("GET", one, rules + "/nobody", "");
    call("PUT", one, rules + "/new", RULE);
    call("PUT", one, rules + "/nobody", RULE, "If-Match", "*");
    call("PUT", one, rules + "/new", "{", "If-Match", "*");
    call("PUT", one, rules + "/new", RULE.replace("3/d", "4/d"), "If-Match", etag);
    call("PUT", one, rules + "/new", RULE, "If-Match", etag);
    call("DELETE", one, rules + "/per-ip", "", "If-Match", "*");
    call("DELETE", one, rules + "/new", "", "If-Match", etag);
    call("DELETE", one, rules + "/new", "");
    call("DELETE", one, rules + "/new", "", "If-Match", "*");
    call("DELETE", one, rules + "/new", "", "If-Match", "*");
    call("GET", rules + "/errors", rules + "/errors", "");
    operations();
    assertThat(operationsSeen()).isEqualTo(operationsDescribed());
    assertThat(seen).hasSizeGreaterThan(30);
  }

  private void operations() throws IOException {
    String root = "/admin/v1";
    call("POST", root + "/validate", root + "/validate", "{\"rules\":[" + RULE + "]}");
    call("POST", root + "/validate", root + "/validate", "{\"rules\":[{\"path\":\"x\"}]}");
    call("POST", root + "/reload", root + "/reload", "");
    String reset = root + "/buckets/reset";
    call("POST", reset, reset, "{\"ruleId\":\"per-ip\"}");
    call("POST", reset, reset, "{\"ruleId\":\"nobody\"}");
    call("POST", reset, reset, "{}");
    call("GET", root + "/history", root + "/history", "");
    String restore = root + "/history/{version}/restore";
    call("POST", restore, root + "/history/5/restore", "");
    call("POST", restore, root + "/history/99/restore", "");
    call("GET", root + "/audit", root + "/audit", "");
    call("GET", root + "/stats", root + "/stats", "");
    call("GET", root + "/openapi.json", root + "/openapi.json", "");
    String etag =
        call("GET", "/v1/rules", "/v1/rules", "").headers().firstValue("ETag").orElseThrow();
    call("GET", "/v1/rules", "/v1/rules", "", "If-None-Match", etag);
    HttpRequest.Builder onDataPlane = admin.request(server.uri("/v1/rules"));
    hold("GET", "/v1/rules", server.send(onDataPlane));
    hold("GET", "/v1/rules", server.get(server.uri("/v1/rules")));
  }

  private Set<String> operationsSeen() {
    Set<String> operations = new TreeSet<>();
    seen.forEach(what -> operations.add(what.substring(0, what.lastIndexOf(' '))));
    return operations;
  }

  private static Set<String> operationsDescribed() {
    Set<String> operations = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : description.path("paths").properties()) {
      for (String method : Set.of("get", "post", "put", "delete", "patch")) {
        if (path.getValue().has(method)) {
          operations.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
        }
      }
    }
    return operations;
  }
}
