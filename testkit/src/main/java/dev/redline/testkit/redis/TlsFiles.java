package dev.redline.testkit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A self-signed certificate for 127.0.0.1 and its key, as PEM files; made by the JDK's keytool.
 *
 * @param certificate the certificate, which is also the one to trust
 * @param key the private key
 */
public record TlsFiles(Path certificate, Path key) {
  private static final String PASSWORD = "not-a-secret";

  /** Makes a new pair of files in a folder. */
  public static TlsFiles create(Path folder) {
    Path store = folder.resolve("redis.p12");
    keytool(store);
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      return new TlsFiles(
          pem(
              folder.resolve("redis.crt"),
              "CERTIFICATE",
              keys.getCertificate("redis").getEncoded()),
          pem(
              folder.resolve("redis.key"),
              "PRIVATE KEY",
              keys.getKey("redis", PASSWORD.toCharArray()).getEncoded()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void keytool(Path store) {
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  "redis",
                  "-keyalg",
                  "EC",
                  "-dname",
                  "CN=127.0.0.1",
                  "-ext",
                  "SAN=ip:127.0.0.1,dns:localhost",
                  "-storetype",
                  "PKCS12",
                  "-keystore",
                  store.toString(),
                  "-storepass",
                  PASSWORD)
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException("keytool failed: " + said);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Path pem(Path file, String what, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
  }

  /** Returns the arguments that make a redis-server listen with it on a further port. */
  public List<String> arguments(int port) {
    return List.of(
        "--tls-port",
        Integer.toString(port),
        "--tls-cert-file",
        certificate.toString(),
        "--tls-key-file",
        key.toString(),
        "--tls-ca-cert-file",
        certificate.toString(),
        "--tls-auth-clients",
        "no");
  }
}
