package dev.redline.core.key;

import java.util.Objects;

/**
 * How raw client properties become identities; the same on all nodes that share a store.
 *
 * @param ipv6Prefix how many leading bits of an IPv6 address make one caller, 1 to 128
 * @param apiKeyDigest what API keys are replaced by
 */
public record IdentitySettings(int ipv6Prefix, ApiKeyDigest apiKeyDigest) {
  /** IPv6 by /64, API keys by plain SHA-256. */
  public static final IdentitySettings DEFAULT = new IdentitySettings(64, ApiKeyDigest.unkeyed());

  /** Checks the prefix. */
  public IdentitySettings {
    Objects.requireNonNull(apiKeyDigest, "apiKeyDigest");
    if (ipv6Prefix < 1 || ipv6Prefix > 128) {
      throw new IllegalArgumentException("ipv6Prefix must be 1 to 128, was " + ipv6Prefix);
    }
  }

  /** Returns the text under which an address is one caller: itself, or its IPv6 block. */
  public String caller(IpAddress address) {
    return address.v4() || ipv6Prefix == 128
        ? address.toString()
        : address.masked(ipv6Prefix) + "/" + ipv6Prefix;
  }
}
