package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.redline.server.wiring.ServerOptions;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Metrics as the receivers of other systems get them. */
@Timeout(120)
class MetricsExportersTest {
  private static final String RULES = "rules: [{ id: per-ip, path: /api/**, key: ip, limit: 1/d }]";
  private static final String CHECK =
      "{\"request\":{\"path\":\"/api/x\",\"clientIp\":\"192.0.2.77\"}}";

  @TempDir Path directory;

  private TestServer start(String exporters, String configuration) throws IOException {
    Map<String, String> flags = new HashMap<>(TestServer.onFreePorts());
    flags.put(
        "rl.config.path", Files.writeString(directory.resolve("rules.yaml"), RULES).toString());
    flags.put("rl.metrics.exporters", exporters);
    Path config = Files.writeString(directory.resolve("redline.yaml"), configuration);
    return TestServer.start(new ServerOptions(flags, Map.of(), Optional.of(config)));
  }

  @Test
  void sendsCountersAndTimersToStatsd() throws Exception {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    try (DatagramSocket listener = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      Thread reader = new Thread(() -> receive(listener, lines), "statsd");
      reader.setDaemon(true);
      reader.start();
      String configuration =
          """
          management.statsd.metrics.export:
            host: 127.0.0.1
            port: %d
            flavor: datadog
            polling-frequency: 200ms
          """
              .formatted(listener.getLocalPort());
      try (TestServer server = start("statsd", configuration)) {
        await()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(
                () -> {
                  server.post("/v1/check", CHECK);
                  assertThat(lines)
                      .anyMatch(
                          line ->
                              line.startsWith("ratelimit.requests:1|c|#")
                                  && line.contains("result:denied")
                                  && line.contains("rule:per-ip"))
                      .anyMatch(line -> line.matches("ratelimit\\.check:[0-9.]+\\|ms.*"))
                      .anyMatch(
                          line ->
                              line.matches("http\\.server\\.requests:[0-9.]+\\|ms\\|#.*")
                                  && line.contains("plane:data")
                                  && line.contains("status:429"))
                      .anyMatch(line -> line.startsWith("ratelimit.rules.version:1|g"));
                });
        assertThat(server.get(server.management("/actuator/prometheus")).statusCode())
            .as("only the exporters of the list")
            .isEqualTo(404);
      }
      assertThat(lines)
          .noneMatch(line -> line.contains("192.0.2.77"))
          .noneMatch(line -> line.contains(".histogram"));
    }
  }

  private static void receive(DatagramSocket listener, Queue<String> lines) {
    byte[] buffer = new byte[65_536];
    while (true) {
      DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
      try {
        listener.receive(packet);
      } catch (SocketException e) {
        return;
      } catch (IOException e) {
        lines.add(e.toString());
        return;
      }
      String text = new String(buffer, 0, packet.getLength(), StandardCharsets.UTF_8);
      lines.addAll(text.lines().toList());
    }
  }

  @Test
  void sendsMetricsByOtlpAndServesPrometheusBesideIt() throws Exception {
    Queue<ExportMetricsServiceRequest> requests = new ConcurrentLinkedQueue<>();
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/v1/metrics",
        exchange -> {
          requests.add(ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody()));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    String configuration =
        """
        management.otlp.metrics.export:
          url: http://127.0.0.1:%d/v1/metrics
          step: 1s
        """
            .formatted(collector.getAddress().getPort());
    try (TestServer server = start("otlp, prometheus", configuration)) {
      server.post("/v1/check", CHECK);
      server.post("/v1/check", CHECK);
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () -> {
                assertThat(points(requests, "ratelimit.requests"))
                    .anyMatch(
                        point ->
                            tags(point).contains("result=denied")
                                && tags(point).contains("rule=per-ip")
                                && point.getAsDouble() == 1);
                assertThat(metrics(requests))
                    .anyMatch(
                        metric ->
                            metric.getName().equals("ratelimit.check")
                                && metric.getHistogram().getDataPointsList().stream()
                                    .anyMatch(point -> point.getExplicitBoundsCount() > 5));
              });
      assertThat(requests)
          .anyMatch(
              request ->
                  request.getResourceMetrics(0).getResource().getAttributesList().stream()
                      .anyMatch(
                          attribute ->
                              attribute.getKey().equals("service.name")
                                  && attribute.getValue().getStringValue().equals("redline")));
      assertThat(requests.toString()).doesNotContain("192.0.2.77");
      assertThat(server.get(server.management("/actuator/prometheus")).body())
          .contains("ratelimit_requests_total{result=\"denied\",rule=\"per-ip\"")
          .contains("ratelimit_check_seconds_bucket{le=\"0.01\"}");
    } finally {
      collector.stop(0);
    }
  }

  private static List<Metric> metrics(Queue<ExportMetricsServiceRequest> requests) {
    return requests.stream()
        .flatMap(request -> request.getResourceMetricsList().stream())
        .flatMap(resource -> resource.getScopeMetricsList().stream())
        .flatMap(scope -> scope.getMetricsList().stream())
        .toList();
  }

  private static List<NumberDataPoint> points(
      Queue<ExportMetricsServiceRequest> requests, String name) {
    return metrics(requests).stream()
        .filter(metric -> metric.getName().equals(name))
        .flatMap(metric -> metric.getSum().getDataPointsList().stream())
        .toList();
  }

  private static List<String> tags(NumberDataPoint point) {
    return point.getAttributesList().stream().map(MetricsExportersTest::tag).toList();
  }

  private static String tag(KeyValue attribute) {
    return attribute.getKey() + "=" + attribute.getValue().getStringValue();
  }

  @Test
  void rejectsUnknownAndRepeatedExporters() {
    assertThatThrownBy(() -> start("graphite", ""))
        .hasMessageContaining("rl.metrics.exporters")
        .hasMessageContaining("use one of PROMETHEUS, STATSD, OTLP");
    assertThatThrownBy(() -> start("otlp,otlp", ""))
        .hasMessageContaining("name each exporter once");
  }
}
