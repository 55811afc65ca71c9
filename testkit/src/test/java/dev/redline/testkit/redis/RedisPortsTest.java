package dev.redline.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ports of a Redis server that another process takes. */
class RedisPortsTest {
  private static final String[] CLUSTERED = {"--cluster-enabled", "yes"};

  /** Takes the port of the cluster bus of a server with this port. */
  private static ServerSocket takeBus(int port) throws IOException {
    return new ServerSocket(port + 10_000, 1, InetAddress.getLoopbackAddress());
  }

  @Test
  void aServerWhosePortIsTakenGetsAnother() throws IOException {
    int taken = RedisServer.freePort();
    int free = RedisServer.freePort();
    Iterator<Integer> ports = List.of(taken, free).iterator();
    try (ServerSocket bus = takeBus(taken);
        RedisServer server = RedisServer.start(RedisBinary.any(), ports::next, CLUSTERED)) {
      assertThat(bus.isBound()).isTrue();
      assertThat(server.port()).isEqualTo(free);
    }
  }

  @Test
  void aServerThatFindsNoPortFails() throws IOException {
    int taken = RedisServer.freePort();
    try (ServerSocket bus = takeBus(taken)) {
      assertThatThrownBy(() -> RedisServer.start(RedisBinary.any(), () -> taken, CLUSTERED))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(Integer.toString(bus.getLocalPort()));
    }
  }
}
