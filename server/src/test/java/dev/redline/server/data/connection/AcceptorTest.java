package dev.redline.server.data.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When the listening socket is closed: connections in its backlog would be reset. */
class AcceptorTest {
  private final Acceptor acceptor = new Acceptor(connections());
  private final EmbeddedChannel listening = new EmbeddedChannel(acceptor);

  private static Connections connections() {
    return new Connections(
        new ConnectionLimits(
            1000, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1)));
  }

  private void accept(int connections) {
    for (int i = 0; i < connections; i++) {
      listening.pipeline().fireChannelRead(new EmbeddedChannel());
    }
    listening.pipeline().fireChannelReadComplete();
  }

  @Test
  void closesWhenAllConnectionsOfTheBacklogAreAccepted() {
    accept(1);
    assertThat(listening.isOpen()).isTrue();

    var closed = acceptor.stop(listening);
    listening.runPendingTasks();
    assertThat(closed.isDone()).isFalse();
    accept(Acceptor.MAX_ACCEPTED);
    assertThat(closed.isDone()).as("more connections may wait").isFalse();
    accept(1);
    assertThat(closed.isDone()).isTrue();
  }

  @Test
  void closesSoonIfThereAreNoConnections() {
    var closed = acceptor.stop(listening);
    listening.advanceTimeBy(1, TimeUnit.SECONDS);
    listening.runPendingTasks();

    assertThat(closed.isDone()).isTrue();
  }

  @Test
  void closesUnusedConnectionOfTheBacklogThatIsTheFirstOfItsEventLoop() {
    Connections connections = connections();
    connections.stopAccepting();
    EmbeddedChannel last = new EmbeddedChannel(new ConnectionGuard(connections));

    await()
        .until(
            () -> {
              last.advanceTimeBy(1, TimeUnit.SECONDS);
              last.runScheduledPendingTasks();
              return !last.isOpen();
            });
  }
}
