package dev.redline.binding.web;

import dev.redline.core.internal.http.ClientAddress;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.key.IpAddress;
import dev.redline.core.settings.Settings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who sent a request, by the {@code rl.identity.*} properties.
 *
 * @param proxies the peers whose {@code X-Forwarded-For} is trusted
 * @param apiKeyHeader the header that holds the API key
 */
public record ClientIdentity(TrustedProxies proxies, String apiKeyHeader) {
  /** The header that proxies append the address of their peer to. */
  public static final String FORWARDED_FOR = "X-Forwarded-For";

  /** Returns the identity by settings; without trusted proxies every peer is the client. */
  public static ClientIdentity of(Settings.Identity settings) {
    return new ClientIdentity(
        settings.trustedProxies().orElse(TrustedProxies.none()), settings.apiKeyHeader());
  }

  /**
   * Returns the address of the client, or null if the peer has none, such as a Unix socket.
   *
   * @param peer the address of the peer, perhaps with a zone
   * @param forwardedFor the values of {@link #FORWARDED_FOR} in order
   */
  public @Nullable IpAddress address(@Nullable String peer, List<String> forwardedFor) {
    if (peer == null) {
      return null;
    }
    int zone = peer.indexOf('%');
    IpAddress address = IpAddress.tryParse(zone < 0 ? peer : peer.substring(0, zone));
    return address == null
        ? null
        : ClientAddress.resolve(address, forwardedFor, proxies).orElse(address);
  }
}
