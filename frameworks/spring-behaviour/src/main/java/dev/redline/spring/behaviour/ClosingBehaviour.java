package dev.redline.spring.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.behaviour.LoopbackClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients see of an application that is closed and started again. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class ClosingBehaviour {
  /** The applications. */
  enum ClosedApplication {
    SERVLET(ServletApplication.class, "servlet"),
    WEBFLUX(WebFluxApplication.class, "reactive");

    private final Class<?> type;
    private final String webType;

    ClosedApplication(Class<?> type, String webType) {
      this.type = type;
      this.webType = webType;
    }
  }

  /** Creates the suite. */
  protected ClosingBehaviour() {}

  @ParameterizedTest
  @EnumSource
  final void closingUnderLoadCausesNoServerErrorAndLaterStartsWork(ClosedApplication application)
      throws Exception {
    for (int start = 0; start < 2; start++) {
      closeUnderLoad(application);
    }
  }

  private static void closeUnderLoad(ClosedApplication application) throws Exception {
    RunningApplication running =
        RunningApplication.start(application.type, application.webType, ApplicationBehaviour.RULES);
    LoopbackClient client = new LoopbackClient(running.uri());
    Queue<Integer> statuses = new ConcurrentLinkedQueue<>();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> callers = new ArrayList<>();
      for (String path :
          List.of("/filtered", "/free", "/method/mono?user=a", "/method/plain?user=a")) {
        callers.add(threads.submit(() -> callUntilClosed(client, path, statuses)));
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> statuses.size() > 50);
      running.close();
      for (Future<?> caller : callers) {
        caller.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
      running.close();
    }
    assertThat(statuses).contains(200, 429).doesNotContain(500);
  }

  private static void callUntilClosed(LoopbackClient client, String path, Queue<Integer> statuses) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        statuses.add(client.get(path).status());
      }
    } catch (UncheckedIOException closed) {
      // The server does not listen any more.
    }
  }
}
