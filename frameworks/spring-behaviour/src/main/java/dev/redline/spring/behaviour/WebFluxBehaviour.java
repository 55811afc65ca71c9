package dev.redline.spring.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.LoopbackClient;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What WebFlux applications do; a blocking call on an event loop is an error in all of them. */
public abstract class WebFluxBehaviour extends ApplicationBehaviour {
  private final Class<?> server;

  /**
   * Creates the suite.
   *
   * @param server the configuration of the server, since there are several on the class path:
   *     Netty, which notices clients that disconnect
   */
  protected WebFluxBehaviour(Class<?> server) {
    this.server = server;
  }

  @Override
  final RunningApplication start(List<String> properties) {
    return RunningApplication.start(WebFluxApplication.class, "reactive", properties, server);
  }

  @Test
  final void blockingCallsAreNoticed() {
    assertThat(client().get("/blocks").status()).isEqualTo(500);
  }

  @Test
  final void disconnectingClientFreesItsPermit() throws IOException {
    LoopbackClient slow = client();
    LoopbackClient other = client();
    assertThat(slow.get("/slow").status()).isEqualTo(200);

    // Both permits would be taken for half a minute and more.
    Closeable first = slow.open("/slow");
    Closeable second = slow.open("/slow");
    awaitWaiting(2);
    await().atMost(Duration.ofSeconds(20)).until(() -> other.get("/waiting").status() == 429);
    first.close();
    second.close();

    awaitWaiting(0);
    assertThat(other.get("/waiting").status()).isEqualTo(200);
  }
}
