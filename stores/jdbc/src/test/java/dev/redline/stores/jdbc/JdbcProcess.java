package dev.redline.stores.jdbc;

import dev.redline.testkit.internal.ContendingProcesses;
import java.io.IOException;
import java.time.Duration;

/** A process that contends for one key; arguments: acquisitions, URL, user. */
final class JdbcProcess {
  private JdbcProcess() {}

  public static void main(String[] args) throws IOException {
    JdbcSettings settings =
        JdbcSettings.of(args[1]).withCredentials(args[2], "").withTimeout(Duration.ofSeconds(10));
    try (JdbcStore store = JdbcStore.start(settings)) {
      if (!store.awaitReady(Duration.ofSeconds(30))) {
        throw new IllegalStateException("the store is not ready: " + store.health());
      }
      ContendingProcesses.contend(store, Integer.parseInt(args[0]));
    }
  }
}
