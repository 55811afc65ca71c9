package dev.redline.server.access;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Groups the addresses of peers as rules do: IPv6 addresses by prefix. Thread-safe. */
final class PeerAddresses {
  private final IdentityScheme scheme;

  PeerAddresses(IdentitySettings settings) {
    this.scheme = new IdentityScheme(List.of(KeyField.ip()), List.of(), settings);
  }

  /** Returns the name of the group of an address; empty if there is no address. */
  String groupOf(@Nullable String remote) {
    try {
      return remote == null ? "" : scheme.identityOf(List.of(remote));
    } catch (IllegalArgumentException e) {
      return remote == null ? "" : remote;
    }
  }
}
