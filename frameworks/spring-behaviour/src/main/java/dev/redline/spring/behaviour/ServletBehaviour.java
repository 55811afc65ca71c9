package dev.redline.spring.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Spring MVC applications do. */
public abstract class ServletBehaviour extends ApplicationBehaviour {
  private final boolean virtualThreads;

  /**
   * Creates the suite.
   *
   * @param virtualThreads whether requests have virtual threads, where Java has them
   */
  protected ServletBehaviour(boolean virtualThreads) {
    this.virtualThreads = virtualThreads;
  }

  @Override
  final RunningApplication start(List<String> properties) {
    List<String> all = new ArrayList<>(properties);
    all.add("spring.threads.virtual.enabled=" + virtualThreads);
    return RunningApplication.start(ServletApplication.class, "servlet", all);
  }

  @Test
  final void requestsHaveTheThreadsOfTheSuite() {
    boolean virtual = virtualThreads && Runtime.version().feature() >= 21;
    assertThat(client().get("/thread").body().startsWith("VirtualThread")).isEqualTo(virtual);
  }

  @Test
  final void forwardIsNotCounted() {
    LoopbackClient client = client();
    for (int i = 2; i >= 0; i--) {
      Response response = client.get("/filtered/forward");
      assertThat(response.body()).isEqualTo("plain");
      assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("" + i);
    }
    assertDenied(client.get("/filtered/forward"));
  }

  @Test
  final void denialReplacesWhatTheControllerWrote() {
    LoopbackClient client = client();
    String path = "/method/writer?user=" + user();
    assertThat(client.get(path).body()).startsWith("begun");

    Response denied = client.get(path);

    assertDenied(denied);
    assertThat(denied.body()).doesNotContain("begun");
  }

  /** The container does not notice that clients are gone; their waits end all the same. */
  @Test
  final void disconnectedClientsFreeTheirPermitsWhenTheirWaitsEnd() throws IOException {
    LoopbackClient slow = client();
    assertThat(slow.get("/slow").status()).isEqualTo(200);
    Closeable first = slow.open("/slow");
    Closeable second = slow.open("/slow");
    awaitWaiting(2);
    first.close();
    second.close();

    refillUntilNobodyWaits("slow");

    LoopbackClient other = client();
    assertThat(other.get("/waiting").status()).isEqualTo(200);
    assertThat(other.get("/waiting").status()).as("a permit is free").isEqualTo(200);
  }
}
