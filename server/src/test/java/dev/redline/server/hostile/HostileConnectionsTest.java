package dev.redline.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.redline.server.RawClient;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients that occupy connections. {@code -Dredline.connections=20000} makes more of them than the
 * test does otherwise, if the machine allows so many open files.
 */
@Tag("stress")
@Timeout(180)
class HostileConnectionsTest {
  private static final int CONNECTIONS = Integer.getInteger("redline.connections", 8000);

  private static TestServer server;
  private static Bystander bystander;

  private final List<SocketChannel> connections = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    server =
        TestServer.start(
            "rules: []", Map.of("rl.server.head-timeout", "1s", "rl.server.body-timeout", "1s"));
    bystander = new Bystander(server.server().port());
  }

  @AfterAll
  static void stop() throws IOException {
    bystander.close();
    server.close();
  }

  private void connect(int count) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.server().port());
    for (int i = 0; i < count; i++) {
      connections.add(SocketChannel.open(address));
    }
  }

  private void closeAll() throws IOException {
    for (SocketChannel connection : connections) {
      connection.close();
    }
    connections.clear();
  }

  /** Sends a text on all connections; those that the server has closed are skipped. */
  private int sendToAll(String text) {
    int sent = 0;
    for (SocketChannel connection : connections) {
      try {
        connection.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
        sent++;
      } catch (IOException e) {
        assertThat(e).isNotNull();
      }
    }
    return sent;
  }

  /** Returns how many connections the server has ended; reads what it has sent. */
  private int ended(StringBuilder received) throws IOException {
    int ended = 0;
    ByteBuffer buffer = ByteBuffer.allocate(4096);
    for (SocketChannel connection : connections) {
      connection.configureBlocking(false);
      try {
        buffer.clear();
        int bytes = connection.read(buffer);
        if (bytes > 0) {
          received.append(new String(buffer.array(), 0, bytes, StandardCharsets.US_ASCII));
          bytes = connection.read(buffer.clear());
        }
        ended += bytes < 0 ? 1 : 0;
      } catch (IOException e) {
        ended++;
      }
    }
    return ended;
  }

  private static long usedMegabytes() {
    System.gc();
    return (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20;
  }

  @Test
  void idleConnectionsCostLittle() throws IOException {
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : 4000;
    // Both ends are in this process.
    int count = (int) Math.min(CONNECTIONS, (files - 1000) / 2);
    long before = usedMegabytes();
    try {
      connect(count);
      bystander.assertNotDisturbed();
      assertThat(usedMegabytes() - before).as("megabytes of heap").isLessThan(200);
      try (RawClient another = new RawClient(server.server().port())) {
        another.send("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(another.statusLine()).startsWith("HTTP/1.1 404");
      }
    } finally {
      closeAll();
    }
  }

  @Test
  void slowHeadsAreAnsweredWith408AndClosed() throws Exception {
    try {
      connect(1000);
      sendToAll("POST /v1/check HTTP/1.1\r\nHost: x\r\n");
      long start = System.nanoTime();
      StringBuilder received = new StringBuilder();
      bystander.assertNotDisturbed();
      await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                // A byte now and then does not extend the deadline.
                sendToAll("X");
                return ended(received) == connections.size();
              });
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
      assertThat(received.toString().split("HTTP/1.1 408 ", -1)).hasSizeGreaterThan(900);
    } finally {
      closeAll();
    }
  }

  @Test
  void slowSecondHeadIsClosedToo() throws Exception {
    try (RawClient client = new RawClient(server.server().port())) {
      client.send("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.response().status()).isEqualTo(404);
      client.send("GET /nowhere HT");
      assertThat(client.response().status()).isEqualTo(408);
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void connectionThatIsQuietBetweenRequestsStaysOpen() throws Exception {
    try (RawClient client = new RawClient(server.server().port())) {
      for (int i = 0; i < 3; i++) {
        client.send("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(client.response().status()).isEqualTo(404);
        Thread.sleep(1300);
      }
    }
  }

  @Test
  void slowHttp2PrefaceIsClosed() throws Exception {
    try (RawClient client = new RawClient(server.server().port())) {
      client.send("PRI * HTTP/2.0\r\n");
      assertThat(client.rest()).isEmpty();
    }
  }

  @Test
  void slowBodiesAreAnsweredWith408AndClosed() throws Exception {
    try {
      connect(500);
      sendToAll("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{");
      StringBuilder received = new StringBuilder();
      bystander.assertNotDisturbed();
      await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                sendToAll(" ");
                return ended(received) == connections.size();
              });
      assertThat(received.toString().split("HTTP/1.1 408 ", -1)).hasSizeGreaterThan(450);
    } finally {
      closeAll();
    }
  }

  @Test
  void largeBodiesThatStallGiveWayToOthers() throws Exception {
    // More than fits into the memory for bodies, which is an eighth of the heap.
    int count = (int) Math.min(2000, (Runtime.getRuntime().maxMemory() >> 20) / 8 + 50);
    String head = "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
    try {
      connect(count);
      sendToAll(head);
      String part = " ".repeat(250_000);
      for (int i = 0; i < 3; i++) {
        for (SocketChannel connection : connections) {
          connection.configureBlocking(false);
          try {
            connection.write(ByteBuffer.wrap(part.getBytes(StandardCharsets.US_ASCII)));
          } catch (IOException e) {
            assertThat(e).isNotNull();
          }
        }
        bystander.assertNotDisturbed();
      }
    } finally {
      closeAll();
    }
  }
}
