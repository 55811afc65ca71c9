package dev.redline.bench.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.bench.LatencyChart;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpLoadTest {
  private static final String OK =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
  private static final String LAST =
      "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\nConnection: close\r\n\r\n";

  /** Responds to every request after a pause at the first one, then closes after a number. */
  private static ServerSocket serve(long pauseMillis, int responses) throws Exception {
    ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    Thread server =
        new Thread(
            () -> {
              try (Socket socket = listener.accept()) {
                InputStream in = socket.getInputStream();
                OutputStream out = socket.getOutputStream();
                for (int sent = 0; sent < responses; sent++) {
                  readRequest(in);
                  if (sent == 0) {
                    TimeUnit.MILLISECONDS.sleep(pauseMillis);
                  }
                  out.write(OK.getBytes(StandardCharsets.US_ASCII));
                }
              } catch (Exception e) {
                // The client closed the connection.
                return;
              }
            });
    server.setDaemon(true);
    server.start();
    return listener;
  }

  private static void readRequest(InputStream in) throws Exception {
    int body = Checks.single().requests().get(0).length;
    // All requests are about as long; read until the end of a JSON object.
    int depth = 0;
    for (int i = 0; i < 2 * body; i++) {
      int c = in.read();
      if (c < 0) {
        throw new java.io.EOFException();
      }
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (c == '}' && depth == 0) {
        return;
      }
    }
  }

  @Test
  void latencyOfAnOpenLoopCountsFromTheIntendedStart() throws Exception {
    try (ServerSocket server = serve(300, 1_000_000);
        HttpLoad load = new HttpLoad(server.getLocalPort(), 1, Checks.single())) {
      LoadResult result = load.open(1000, Duration.ofMillis(600));

      assertThat(result.sent()).isBetween(590L, 610L);
      assertThat(result.allowed()).isEqualTo(result.sent());
      // Half of the requests were meant to start during the pause, and waited for its end.
      assertThat(result.millis(100)).isGreaterThan(290);
      assertThat(result.latencies().getCountBetweenValues(100_000_000L, 10_000_000_000L))
          .isGreaterThan(150);
    }
  }

  @Test
  void aClosedLoopNeverHasMoreThanItsOutstandingRequests() throws Exception {
    try (ServerSocket server = serve(200, 1_000_000);
        HttpLoad load = new HttpLoad(server.getLocalPort(), 1, Checks.single())) {
      LoadResult result = load.closed(1, Duration.ofMillis(150));

      assertThat(result.sent()).isEqualTo(1);
      assertThat(result.allowed()).isEqualTo(1);
    }
  }

  @Test
  void requestsWithoutAResponseAreLost() throws Exception {
    try (ServerSocket server = serve(0, 3);
        HttpLoad load = new HttpLoad(server.getLocalPort(), 1, Checks.single())) {
      LoadResult result = load.closed(2, Duration.ofSeconds(5));

      assertThat(result.allowed()).isEqualTo(3);
      assertThat(result.lost()).isPositive();
      assertThat(result.allowed() + result.lost()).isEqualTo(result.sent());
    }
  }

  @Test
  void readsResponsesInAnyPieces() {
    byte[] bytes = (OK + LAST + OK).getBytes(StandardCharsets.US_ASCII);
    for (int size = 1; size <= bytes.length; size += 7) {
      List<String> responses = new ArrayList<>();
      EmbeddedChannel channel =
          new EmbeddedChannel(
              new ResponseReader(
                  new ResponseReader.Listener() {
                    @Override
                    public void responded(int status, boolean last) {
                      responses.add(status + (last ? " last" : ""));
                    }

                    @Override
                    public void closed() {
                      responses.add("closed");
                    }
                  }));
      for (int from = 0; from < bytes.length; from += size) {
        channel.writeInbound(
            Unpooled.copiedBuffer(bytes, from, Math.min(size, bytes.length - from)));
      }
      channel.finish();

      assertThat(responses).containsExactly("200", "429 last", "200", "closed");
    }
  }

  @Test
  void batchesHaveDifferentCallers() {
    Checks batches = Checks.batches(100);

    assertThat(batches.requests()).hasSize(10);
    String first = new String(batches.requests().get(0), StandardCharsets.US_ASCII);
    assertThat(first).startsWith("POST /v1/check/batch HTTP/1.1\r\n").endsWith("]}");
    assertThat(first.split("clientIp", -1)).hasSize(101);
    String body = first.substring(first.indexOf("\r\n\r\n") + 4);
    assertThat(first).contains("Content-Length: " + body.length() + "\r\n");
  }

  @Test
  void theChartIsAnSvgWithALineForEachLoad() throws Exception {
    Histogram fast = new Histogram(3);
    Histogram slow = new Histogram(3);
    for (int i = 1; i <= 1000; i++) {
      fast.recordValue(i * 1000L);
      slow.recordValue(i * 100_000L);
    }
    LatencyChart chart = new LatencyChart("a & b");
    chart.add("fast < slow", fast);
    chart.add("slow", slow);

    String svg = chart.svg();

    var document =
        javax.xml.parsers.DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new java.io.ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(2);
    assertThat(svg).contains("a &amp; b", "fast &lt; slow", "99.9 %", "ms").doesNotContain("NaN");
  }
}
