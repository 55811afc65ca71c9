package dev.redline.server.settings;

import dev.redline.core.spi.PropertyReader;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files for TLS on the data plane.
 *
 * @param certificate the certificate chain, PEM
 * @param privateKey its private key, PEM
 * @param clientCa the certificates that client certificates must be signed by, PEM; absent: clients
 *     need none
 */
public record TlsSettings(Path certificate, Path privateKey, Optional<Path> clientCa) {
  private static final String CERTIFICATE = "rl.server.tls.certificate";
  private static final String PRIVATE_KEY = "rl.server.tls.private-key";
  private static final String CLIENT_CA = "rl.server.tls.client-ca";

  static Optional<TlsSettings> read(PropertyReader from) {
    Optional<Path> certificate =
        path(from, CERTIFICATE, "certificate chain of the data plane, PEM; makes it HTTPS");
    Optional<Path> privateKey = path(from, PRIVATE_KEY, "private key of the certificate, PEM");
    Optional<Path> clientCa =
        path(from, CLIENT_CA, "clients need a certificate signed by one of these, PEM (mTLS)");
    if (certificate.isPresent() && privateKey.isPresent()) {
      return Optional.of(new TlsSettings(certificate.get(), privateKey.get(), clientCa));
    }
    if (certificate.isPresent() || privateKey.isPresent() || clientCa.isPresent()) {
      from.problem(
          certificate.isPresent() ? PRIVATE_KEY : CERTIFICATE,
          "",
          "TLS needs both " + CERTIFICATE + " and " + PRIVATE_KEY);
    }
    return Optional.empty();
  }

  private static Optional<Path> path(PropertyReader from, String name, String text) {
    return from.property(name, text + "; reloaded when the file changes")
        .parsed("use the path of a file", Path::of);
  }
}
