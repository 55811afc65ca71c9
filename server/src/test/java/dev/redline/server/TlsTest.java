package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.server.wiring.StartupFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TlsTest {
  private static final String CHECK = "{\"request\":{\"path\":\"/x\"}}";

  @TempDir static Path directory;
  private static TestCertificates certificates;

  @BeforeAll
  static void makeCertificates() throws Exception {
    certificates = new TestCertificates(directory);
    certificates.authority("ca");
    certificates.authority("other-ca");
    certificates.certificate("first", "ca");
    certificates.certificate("second", "ca");
    certificates.certificate("client", "ca");
    certificates.certificate("stranger", "other-ca");
  }

  private static Map<String, String> files(Path certificate, Path key) {
    return Map.of(
        "rl.server.tls.certificate", certificate.toString(),
        "rl.server.tls.private-key", key.toString());
  }

  private static HttpResponse<String> check(HttpClient client, TestServer server)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(
                URI.create("https://localhost:" + server.server().port() + "/v1/check"))
            .timeout(Duration.ofSeconds(20))
            .POST(BodyPublishers.ofString(CHECK))
            .build(),
        BodyHandlers.ofString());
  }

  private static HttpClient client(SSLContext tls, HttpClient.Version version) {
    return HttpClient.newBuilder().sslContext(tls).version(version).build();
  }

  @Test
  void servesHttp1AndHttp2OverTls() throws Exception {
    try (TestServer server =
        TestServer.start(
            "rules: []",
            files(certificates.certificateFile("first"), certificates.keyFile("first")))) {
      for (HttpClient.Version version : HttpClient.Version.values()) {
        HttpResponse<String> response =
            check(client(certificates.client("ca", null), version), server);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.version()).isEqualTo(version);
      }
      try (RawClient plain = new RawClient(server.server().port())) {
        plain.send("GET /v1/check HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(plain.rest()).doesNotContain("HTTP/1.1 ");
      }
    }
  }

  /** Returns the serial number of the certificate that a new connection gets. */
  private static String servedCertificate(TestServer server, SSLContext tls) throws IOException {
    try (SSLSocket socket =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.server().port())) {
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
          .getSerialNumber()
          .toString();
    }
  }

  private static void replace(Path file, Path by) throws IOException {
    Path copy = Files.copy(by, directory.resolve(file.getFileName() + ".new"));
    Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void usesReplacedCertificateWithoutFailedRequests() throws Exception {
    Path certificate =
        Files.copy(certificates.certificateFile("first"), directory.resolve("served.crt"));
    Path key = Files.copy(certificates.keyFile("first"), directory.resolve("served.key"));
    SSLContext tls = certificates.client("ca", null);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger answered = new AtomicInteger();
    try (TestServer server = TestServer.start("rules: []", files(certificate, key))) {
      assertThat(servedCertificate(server, tls)).isEqualTo(certificates.serialNumber("first"));
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        boolean keepsConnection = i % 2 == 0;
        callers.add(
            CompletableFuture.runAsync(
                () -> callUntil(stop, answered, server, tls, keepsConnection)));
      }
      await().until(() -> answered.get() > 20);

      replace(certificate, certificates.certificateFile("second"));
      // Certificate and key do not fit together for a while.
      int before = answered.get();
      await().until(() -> answered.get() > before + 20);
      assertThat(servedCertificate(server, tls)).isEqualTo(certificates.serialNumber("first"));
      replace(key, certificates.keyFile("second"));

      await()
          .until(() -> servedCertificate(server, tls).equals(certificates.serialNumber("second")));
      int after = answered.get();
      await().until(() -> answered.get() > after + 20);
      stop.set(true);
      CompletableFuture.allOf(callers.toArray(new CompletableFuture<?>[0])).join();
    }
  }

  private static void callUntil(
      AtomicBoolean stop,
      AtomicInteger answered,
      TestServer server,
      SSLContext tls,
      boolean keepsConnection) {
    HttpClient kept = client(tls, HttpClient.Version.HTTP_1_1);
    try {
      while (!stop.get()) {
        if (keepsConnection) {
          assertThat(check(kept, server).statusCode()).isEqualTo(200);
        } else {
          callOnce(server, tls);
        }
        answered.incrementAndGet();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends a request on a connection of its own. */
  private static void callOnce(TestServer server, SSLContext tls) throws IOException {
    try (SSLSocket socket =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.server().port())) {
      socket
          .getOutputStream()
          .write(
              ("POST /v1/check HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
                      + CHECK.length()
                      + "\r\n\r\n"
                      + CHECK)
                  .getBytes(StandardCharsets.UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void rejectsClientsWithoutCertificateOfTheAuthority() throws Exception {
    Map<String, String> properties =
        new java.util.HashMap<>(
            files(certificates.certificateFile("first"), certificates.keyFile("first")));
    properties.put("rl.server.tls.client-ca", certificates.certificateFile("ca").toString());
    try (TestServer server = TestServer.start("rules: []", properties)) {
      for (HttpClient.Version version : HttpClient.Version.values()) {
        HttpClient known = client(certificates.client("ca", "client"), version);
        assertThat(check(known, server).statusCode()).isEqualTo(200);
        HttpClient without = client(certificates.client("ca", null), version);
        assertThatThrownBy(() -> check(without, server)).isInstanceOf(IOException.class);
        HttpClient stranger = client(certificates.client("ca", "stranger"), version);
        assertThatThrownBy(() -> check(stranger, server)).isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void limitsEachCertificateByItself() throws Exception {
    Map<String, String> properties =
        new java.util.HashMap<>(
            files(certificates.certificateFile("first"), certificates.keyFile("first")));
    properties.put("rl.server.tls.client-ca", certificates.certificateFile("ca").toString());
    properties.put("rl.server.caller-limit", "1/h burst 1");
    try (TestServer server = TestServer.start("rules: []", properties)) {
      for (String alias : List.of("client", "second")) {
        for (HttpClient.Version version : HttpClient.Version.values()) {
          HttpClient caller = client(certificates.client("ca", alias), version);
          assertThat(check(caller, server).statusCode()).isEqualTo(200);
        }
        HttpClient again = client(certificates.client("ca", alias), HttpClient.Version.HTTP_2);
        assertThat(check(again, server).statusCode()).isEqualTo(503);
      }
    }
  }

  @Test
  void limitsCallersWithoutCertificateByTheirAddress() throws Exception {
    Map<String, String> properties =
        new java.util.HashMap<>(
            files(certificates.certificateFile("first"), certificates.keyFile("first")));
    properties.put("rl.server.caller-limit", "1/h burst 1");
    try (TestServer server = TestServer.start("rules: []", properties)) {
      for (int status : List.of(200, 200, 503)) {
        HttpClient caller = client(certificates.client("ca", null), HttpClient.Version.HTTP_1_1);
        assertThat(check(caller, server).statusCode()).isEqualTo(status);
      }
    }
  }

  @Test
  void doesNotStartWithUnusableFiles() throws Exception {
    Path certificate = certificates.certificateFile("first");
    Path key = certificates.keyFile("first");
    Path otherKey = certificates.keyFile("second");
    Path missing = directory.resolve("missing.pem");
    Path text = Files.writeString(directory.resolve("text.pem"), "hello");

    assertThatThrownBy(() -> TestServer.start("rules: []", files(missing, key)))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.server.tls.certificate")
        .hasMessageContaining("missing.pem");
    assertThatThrownBy(() -> TestServer.start("rules: []", files(certificate, otherKey)))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("do not belong together");
    assertThatThrownBy(() -> TestServer.start("rules: []", files(text, key)))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("text.pem");
    assertThatThrownBy(
            () ->
                TestServer.start(
                    "rules: []", Map.of("rl.server.tls.certificate", certificate.toString())))
        .isInstanceOf(StartupFailure.class)
        .hasMessageContaining("rl.server.tls.private-key");
  }
}
