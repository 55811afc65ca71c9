package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Neither rules nor callers make the number of time series grow without bound. */
@Timeout(300)
class BoundedSeriesTest {
  private static final int RULES = 10_000;
  private static final int IDENTITIES = 1_000_000;
  private static final int BATCH = 1000;

  @TempDir Path directory;

  @Test
  void tenThousandRulesAndAMillionIdentitiesHaveABoundedNumberOfSeries() throws Exception {
    StringBuilder rules = new StringBuilder("rules:\n- { id: c, path: /closed, action: DENY }\n");
    for (int i = 0; i < RULES; i++) {
      rules.append("- { id: r%d, path: '/r%d/**', key: ip, limit: 5/d }%n".formatted(i, i));
    }
    try (RunningRedline server =
        new RunningRedline(directory, rules.toString(), List.of("-Xmx512m"), Map.of())) {
      for (int i = 0; i < IDENTITIES; i += BATCH) {
        HttpResponse<String> response =
            server.send(
                HttpRequest.newBuilder(server.uri("/v1/check/batch"))
                    .POST(BodyPublishers.ofString(checks(i))));
        assertThat(response.statusCode()).isEqualTo(200);
      }
      // A gateway chooses the status of denials, and a client may use any method.
      for (int status = 408; status < 600; status++) {
        for (String method : List.of("GET", "POST", "M" + status)) {
          HttpResponse<String> denied =
              server.send(
                  HttpRequest.newBuilder(server.uri("/v1/forward-auth?denyStatus=" + status))
                      .header("X-Forwarded-Uri", "/closed")
                      .header("X-Forwarded-Method", "GET")
                      .method(method, BodyPublishers.noBody()));
          assertThat(denied.statusCode()).isEqualTo(status);
        }
      }

      List<String> series =
          server
              .get("/actuator/prometheus")
              .body()
              .lines()
              .filter(line -> !line.startsWith("#"))
              .toList();

      System.out.printf(
          "%d rules, %d identities: %d series, resident memory %d MiB (heap at most 512 MiB)%n",
          RULES, IDENTITIES, series.size(), server.residentMebibytes());
      assertThat(series.size()).isLessThan(50_000);
      assertThat(series)
          .filteredOn(line -> line.startsWith("http_server_requests_seconds_count"))
          .hasSizeLessThan(250)
          .anyMatch(line -> line.contains("status=\"418\""))
          .anyMatch(line -> line.contains("status=\"5xx\""));
      assertThat(series)
          .anyMatch(line -> line.startsWith("ratelimit_local_keys " + (double) IDENTITIES))
          .anyMatch(line -> line.contains("rule=\"other\""))
          .noneMatch(line -> line.contains("10.0."))
          .noneMatch(line -> line.contains("M401"));
      assertThat(server.residentMebibytes()).isLessThan(1024);
    }
  }

  private static String checks(int first) {
    StringBuilder body = new StringBuilder("{\"checks\":[");
    for (int i = first; i < first + BATCH; i++) {
      body.append(i == first ? "" : ",")
          .append("{\"request\":{\"path\":\"/r")
          .append(i % RULES)
          .append("/x\",\"clientIp\":\"10.")
          .append(i >> 16)
          .append('.')
          .append(i >> 8 & 255)
          .append('.')
          .append(i & 255)
          .append("\"}}");
    }
    return body.append("]}").toString();
  }
}
