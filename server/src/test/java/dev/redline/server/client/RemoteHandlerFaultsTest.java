package dev.redline.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.resilience.BreakerState;
import dev.redline.server.TestCertificates;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An application whose service is stopped, slow, wrong or reached by TLS. */
@Tag("faults")
@Timeout(120)
class RemoteHandlerFaultsTest {
  private static final String RULES =
      """
      rules:
        - { id: per-user, path: /users/**, key: userId, limit: 5/h }
        - { id: strict, path: /strict, key: userId, limit: 5/h, onStoreFailure: CLOSED }
      """;
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Map<String, String> QUICK =
      Map.of("rl.circuit-breaker.open-duration", "200ms", "rl.reload.polling-interval", "500ms");

  private static TestServer server(int port, Map<String, String> more) throws IOException {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("rl.server.port", Integer.toString(port));
    return RemoteApplication.server(RULES, properties);
  }

  private static RateLimitResult check(RedlineAssembly application, String path, String user) {
    try {
      return RemoteApplication.check(application, path, user);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void rulesOfTheServerDecideWhileItIsStopped() throws Exception {
    int port = RemoteApplication.freePort();
    TestServer server = server(port, Map.of());
    try (RedlineAssembly application = RemoteApplication.start("http://localhost:" + port, QUICK)) {
      await().atMost(SOON).until(() -> application.engine().book() != null);
      for (int i = 0; i < 6; i++) {
        assertThat(check(application, "/users/x", "alice").allowed()).isEqualTo(i < 5);
      }
      server.close();

      // The server denied alice; bob has this application's share of the limit.
      RateLimitResult alice = check(application, "/users/x", "alice");
      assertThat(alice.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
      assertThat(alice.degraded()).isTrue();
      for (int i = 0; i < 6; i++) {
        RateLimitResult bob = check(application, "/users/x", "bob");
        assertThat(bob.degraded()).isTrue();
        assertThat(bob.reason()).isEqualTo(i < 5 ? Reason.LOCAL_FALLBACK : Reason.LIMIT_EXCEEDED);
      }
      assertThat(check(application, "/strict", "bob").reason()).isEqualTo(Reason.FAIL_CLOSED);
      await()
          .atMost(SOON)
          .until(
              () ->
                  check(application, "/users/x", "c") != null
                      && application.breakerState() == BreakerState.OPEN);
      assertThat(application.health().up()).isTrue();
      assertThat(application.health().details()).containsEntry("degraded", true);

      server = server(port, Map.of());
      await().atMost(SOON).until(() -> !check(application, "/users/x", "dora").degraded());
      await()
          .atMost(SOON)
          .until(
              () ->
                  !check(application, "/users/x", "emil").degraded()
                      && application.breakerState() == BreakerState.CLOSED);
      assertThat(application.health().details()).containsEntry("degraded", false);
    } finally {
      server.close();
    }
  }

  @Test
  void startsWithoutTheServerAndRecovers() throws Exception {
    int port = RemoteApplication.freePort();
    Map<String, String> properties = new HashMap<>(QUICK);
    properties.put("rl.fail.strategy", "CLOSED");
    try (RedlineAssembly application =
        RemoteApplication.start("http://localhost:" + port, properties)) {
      RateLimitResult before = check(application, "/users/x", "a");
      assertThat(before.reason()).isEqualTo(Reason.FAIL_CLOSED);
      assertThat(before.degraded()).isTrue();
      try (TestServer server = server(port, Map.of())) {
        assertThat(server.server().port()).isEqualTo(port);
        await().atMost(SOON).until(() -> !check(application, "/users/x", "a").degraded());
        await().atMost(SOON).until(() -> application.engine().book() != null);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"OPEN,FAIL_OPEN", "CLOSED,FAIL_CLOSED", "LOCAL,NO_MATCHING_RULE"})
  void aSilentServerTakesNoMoreThanTheTimeOut(String strategy, Reason reason) throws Exception {
    // Connections are accepted by the system, and never answered.
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        RedlineAssembly application =
            RemoteApplication.start(
                "http://127.0.0.1:" + silent.getLocalPort(),
                Map.of("rl.remote.timeout", "100ms", "rl.fail.strategy", strategy))) {
      for (int i = 0; i < 20; i++) {
        long start = System.nanoTime();
        RateLimitResult result = check(application, "/users/x", "a");
        assertThat(result.reason()).isEqualTo(reason);
        assertThat(result.degraded()).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      }
      assertThat(application.breakerState()).isEqualTo(BreakerState.OPEN);
    }
  }

  @Test
  void aWrongTokenIsAClearErrorAndTheStrategyDecides() throws Exception {
    try (TestServer server =
        RemoteApplication.server(
            RULES, Map.of("rl.server.auth.tokens.app", "the-token-of-the-application"))) {
      String uri = RemoteApplication.uri(server);
      try (RedlineAssembly wrong =
          RemoteApplication.start(uri, Map.of("rl.remote.token", "a-token-that-is-wrong"))) {
        RateLimitResult result = check(wrong, "/users/x", "a");
        assertThat(result.degraded()).isTrue();
        assertThat(wrong.health().details().get("store").toString())
            .contains("rl.remote.token")
            .contains("401")
            .doesNotContain("a-token-that-is-wrong");
      }
      try (RedlineAssembly right =
          RemoteApplication.start(uri, Map.of("rl.remote.token", "the-token-of-the-application"))) {
        assertThat(check(right, "/users/x", "a").degraded()).isFalse();
      }
    }
  }

  @Test
  void decidesOverTlsIfTheCertificateIsTrusted(@TempDir Path directory) throws Exception {
    TestCertificates certificates = new TestCertificates(directory);
    certificates.authority("ca");
    certificates.certificate("server", "ca");
    SSLContext before = SSLContext.getDefault();
    try (TestServer server =
        RemoteApplication.server(
            RULES,
            Map.of(
                "rl.server.tls.certificate", certificates.certificateFile("server").toString(),
                "rl.server.tls.private-key", certificates.keyFile("server").toString()))) {
      String uri = "https://localhost:" + server.server().port();
      try (RedlineAssembly distrusting = RemoteApplication.start(uri, Map.of())) {
        assertThat(check(distrusting, "/users/x", "a").degraded()).isTrue();
      }
      SSLContext.setDefault(certificates.client("ca", null));
      try (RedlineAssembly application = RemoteApplication.start(uri, Map.of())) {
        for (int i = 0; i < 6; i++) {
          RateLimitResult result = check(application, "/users/x", "a");
          assertThat(result.degraded()).isFalse();
          assertThat(result.allowed()).isEqualTo(i < 5);
        }
        await().atMost(SOON).until(() -> application.engine().book() != null);
      }
    } finally {
      SSLContext.setDefault(before);
    }
  }

  @Test
  @Tag("stress")
  void aServerThatIsStoppedUnderLoadLosesNoCaller() throws Exception {
    int port = RemoteApplication.freePort();
    TestServer server = server(port, Map.of());
    AtomicBoolean running = new AtomicBoolean(true);
    AtomicInteger decided = new AtomicInteger();
    AtomicInteger allowed = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (RedlineAssembly application = RemoteApplication.start("http://localhost:" + port, QUICK)) {
      await().atMost(SOON).until(() -> application.engine().book() != null);
      List<Future<?>> callers = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        callers.add(
            threads.submit(
                () -> {
                  while (running.get()) {
                    RateLimitResult result = check(application, "/users/x", "one");
                    allowed.addAndGet(result.allowed() ? 1 : 0);
                    decided.incrementAndGet();
                  }
                }));
      }
      for (int round = 0; round < 2; round++) {
        int before = decided.get();
        await().atMost(SOON).until(() -> decided.get() > before + 200);
        server.close();
        int stopped = decided.get();
        await().atMost(SOON).until(() -> decided.get() > stopped + 200);
        server = server(port, Map.of());
      }
      running.set(false);
      for (Future<?> caller : callers) {
        caller.get();
      }
      // Three lives of the service with empty memory, and one share of this application.
      assertThat(allowed.get()).isBetween(5, 20);
    } finally {
      running.set(false);
      threads.shutdown();
      server.close();
    }
  }

  @Test
  void connectionsThatAreResetAreFailuresOfTheServer() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        RedlineAssembly application =
            RemoteApplication.start(
                "http://127.0.0.1:" + listener.getLocalPort(),
                Map.of("rl.fail.strategy", "OPEN"))) {
      AtomicInteger failed = new AtomicInteger();
      Thread resetting =
          new Thread(
              () -> {
                while (!listener.isClosed()) {
                  try (Socket socket = listener.accept()) {
                    socket.setSoLinger(true, 0);
                    socket.getInputStream().read();
                  } catch (IOException e) {
                    failed.incrementAndGet();
                  }
                }
              });
      resetting.setDaemon(true);
      resetting.start();
      for (int i = 0; i < 10; i++) {
        assertThat(check(application, "/users/x", "a").reason()).isEqualTo(Reason.FAIL_OPEN);
      }
    }
  }
}
