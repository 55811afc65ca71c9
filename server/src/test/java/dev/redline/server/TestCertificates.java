package dev.redline.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates for a test, made by the keytool of this JDK. */
public final class TestCertificates {
  private static final char[] PASSWORD = "password".toCharArray();

  private final Path directory;
  private final Path store;

  public TestCertificates(Path directory) {
    this.directory = directory;
    this.store = directory.resolve("certificates.p12");
  }

  /** Makes a certificate authority. */
  public void authority(String alias) throws Exception {
    keytool(alias, "-ext", "bc:c");
  }

  /** Makes a certificate for this machine or for a client. */
  public void certificate(String alias, String authority) throws Exception {
    keytool(alias, "-signer", authority, "-ext", "san=dns:localhost,ip:127.0.0.1");
  }

  private void keytool(String alias, String... more) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-dname",
                "CN=" + alias,
                "-alias",
                alias,
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD)));
    command.addAll(Arrays.asList(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(output);
    }
  }

  private KeyStore load() throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  /** Writes a certificate with its chain as PEM. */
  public Path certificateFile(String alias) throws Exception {
    StringBuilder text = new StringBuilder();
    for (Certificate certificate : load().getCertificateChain(alias)) {
      text.append(pem("CERTIFICATE", certificate.getEncoded()));
    }
    return Files.writeString(directory.resolve(alias + ".crt"), text);
  }

  /** Writes a private key as PEM. */
  public Path keyFile(String alias) throws Exception {
    byte[] key = load().getKey(alias, PASSWORD).getEncoded();
    return Files.writeString(directory.resolve(alias + ".key"), pem("PRIVATE KEY", key));
  }

  private static String pem(String type, byte[] content) {
    return "-----BEGIN "
        + type
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END "
        + type
        + "-----\n";
  }

  /** Returns the context of a client that trusts one authority, with a certificate or without. */
  public SSLContext client(String authority, String alias) throws Exception {
    KeyStore all = load();
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(authority, all.getCertificate(authority));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyManager[] keys = null;
    if (alias != null) {
      KeyStore own = KeyStore.getInstance("PKCS12");
      own.load(null, null);
      own.setKeyEntry(alias, all.getKey(alias, PASSWORD), PASSWORD, all.getCertificateChain(alias));
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(own, PASSWORD);
      keys = factory.getKeyManagers();
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, trust.getTrustManagers(), null);
    return context;
  }

  /** Returns the name in a certificate. */
  String serialNumber(String alias) throws Exception {
    return ((java.security.cert.X509Certificate) load().getCertificate(alias))
        .getSerialNumber()
        .toString();
  }
}
