package dev.redline.core.internal.http;

import dev.redline.core.internal.key.IpBlock;
import dev.redline.core.key.IpAddress;
import java.util.List;

/**
 * The proxies whose header fields about the client are trusted.
 *
 * @param blocks the addresses they may have
 */
public record TrustedProxies(List<IpBlock> blocks) {
  private static final TrustedProxies NONE = new TrustedProxies(List.of());
  private static final TrustedProxies LOOPBACK = of(List.of("127.0.0.0/8", "::1"));

  /** Copies the list. */
  public TrustedProxies {
    blocks = List.copyOf(blocks);
  }

  /**
   * Returns the proxies in the given blocks: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or single
   * addresses.
   *
   * @throws IllegalArgumentException if a text is no block, naming it
   */
  public static TrustedProxies of(List<String> cidrs) {
    return new TrustedProxies(cidrs.stream().map(String::trim).map(IpBlock::parse).toList());
  }

  /** Returns the proxies on this machine. */
  public static TrustedProxies loopback() {
    return LOOPBACK;
  }

  /** Returns no proxies: every peer is the client. */
  public static TrustedProxies none() {
    return NONE;
  }

  /** Returns whether header fields of this peer are trusted. */
  public boolean trusts(IpAddress peer) {
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).contains(peer)) {
        return true;
      }
    }
    return false;
  }
}
