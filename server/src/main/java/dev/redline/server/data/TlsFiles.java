package dev.redline.server.data;

import dev.redline.server.settings.TlsSettings;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificate, private key and client CA as they are in their files. Used by one thread at a time.
 *
 * <p>Files that do not fit together are not used: while both files are being replaced, the new
 * certificate may already be there and its key not yet.
 */
final class TlsFiles {
  private static final Logger LOG = System.getLogger(TlsFiles.class.getName());
  private static final List<String> KEY_TYPES = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS", "DSA");

  private record Contents(Buffer certificate, Buffer privateKey, @Nullable Buffer clientCa) {}

  private final TlsSettings settings;
  private final Vertx vertx;
  private @Nullable Contents handled;
  private @Nullable Contents lastRead;

  TlsFiles(TlsSettings settings, Vertx vertx) {
    this.settings = settings;
    this.vertx = vertx;
  }

  /**
   * Reads the files.
   *
   * @throws InvalidTlsFilesException if one is missing or invalid, or they do not fit together
   */
  ServerSSLOptions load() throws InvalidTlsFilesException {
    Contents contents = read();
    ServerSSLOptions options = options(contents);
    handled = contents;
    lastRead = contents;
    return options;
  }

  /**
   * Reads the files again; returns the new options if they changed and can be used. What cannot be
   * used is logged once, when the files have stayed the same since the last call.
   */
  Optional<ServerSSLOptions> loadIfChanged() {
    Contents before = lastRead;
    try {
      Contents contents = read();
      lastRead = contents;
      if (contents.equals(handled)) {
        return Optional.empty();
      }
      boolean settled = contents.equals(before);
      try {
        ServerSSLOptions options = options(contents);
        handled = contents;
        LOG.log(Level.INFO, "the TLS certificate was reloaded");
        return Optional.of(options);
      } catch (InvalidTlsFilesException e) {
        if (settled) {
          handled = contents;
          LOG.log(Level.WARNING, "the changed TLS files are not used: {0}", e.getMessage());
        }
      }
    } catch (InvalidTlsFilesException e) {
      if (before != null) {
        lastRead = null;
        LOG.log(Level.WARNING, "the changed TLS files are not used: {0}", e.getMessage());
      }
    }
    return Optional.empty();
  }

  private Contents read() throws InvalidTlsFilesException {
    return new Contents(
        content("rl.server.tls.certificate", settings.certificate()),
        content("rl.server.tls.private-key", settings.privateKey()),
        settings.clientCa().isEmpty()
            ? null
            : content("rl.server.tls.client-ca", settings.clientCa().get()));
  }

  private static Buffer content(String property, Path file) throws InvalidTlsFilesException {
    try {
      return Buffer.buffer(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new InvalidTlsFilesException(
          property + ": '" + file + "' cannot be read; use a PEM file", e);
    }
  }

  private ServerSSLOptions options(Contents contents) throws InvalidTlsFilesException {
    PemKeyCertOptions keys =
        new PemKeyCertOptions()
            .setCertValue(contents.certificate())
            .setKeyValue(contents.privateKey());
    checkPair(keys);
    ServerSSLOptions options = new ServerSSLOptions();
    options.setKeyCertOptions(keys);
    options.setUseAlpn(true);
    options.setApplicationLayerProtocols(List.of("h2", "http/1.1"));
    if (contents.clientCa() != null) {
      PemTrustOptions trusted = new PemTrustOptions().addCertValue(contents.clientCa());
      try {
        trusted.getTrustManagerFactory(vertx);
      } catch (Exception e) {
        throw new InvalidTlsFilesException(
            "rl.server.tls.client-ca: '"
                + settings.clientCa().orElseThrow()
                + "' holds no certificate; use a PEM file",
            e);
      }
      options.setTrustOptions(trusted);
      options.setClientAuth(ClientAuth.REQUIRED);
    }
    return options;
  }

  private void checkPair(PemKeyCertOptions keys) throws InvalidTlsFilesException {
    String files = "'" + settings.certificate() + "' and '" + settings.privateKey() + "'";
    try {
      for (KeyManager manager : keys.getKeyManagerFactory(vertx).getKeyManagers()) {
        for (String type : KEY_TYPES) {
          String[] aliases = ((X509KeyManager) manager).getServerAliases(type, null);
          if (aliases != null && aliases.length > 0) {
            X509KeyManager owner = (X509KeyManager) manager;
            if (!fit(owner.getCertificateChain(aliases[0])[0], owner.getPrivateKey(aliases[0]))) {
              throw new InvalidTlsFilesException(
                  "rl.server.tls.private-key: " + files + " do not belong together");
            }
            return;
          }
        }
      }
    } catch (InvalidTlsFilesException e) {
      throw e;
    } catch (Exception e) {
      throw new InvalidTlsFilesException(
          "rl.server.tls.certificate: "
              + files
              + " cannot be used; use a certificate chain and its private key, both PEM",
          e);
    }
    throw new InvalidTlsFilesException(
        "rl.server.tls.certificate: " + files + " hold no certificate with a private key");
  }

  /** Returns whether what the key signs is verified by the certificate. */
  private static boolean fit(X509Certificate certificate, PrivateKey key)
      throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case "DSA" -> "SHA256withDSA";
          default -> key.getAlgorithm();
        };
    byte[] sample = {1, 2, 3};
    Signature signing = Signature.getInstance(algorithm);
    signing.initSign(key);
    signing.update(sample);
    byte[] signature = signing.sign();
    Signature verifying = Signature.getInstance(algorithm);
    try {
      verifying.initVerify(certificate.getPublicKey());
      verifying.update(sample);
      return verifying.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
