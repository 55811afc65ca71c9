package dev.redline.core.internal.key;

import dev.redline.core.key.IpAddress;

/**
 * A CIDR block; a single address is a block of one.
 *
 * @param base the first address
 * @param prefix how many leading bits count
 */
public record IpBlock(IpAddress base, int prefix) {
  /** Checks that the prefix fits the address family, and clears the host bits. */
  public IpBlock {
    if (prefix < 0 || prefix > base.bits()) {
      throw new IllegalArgumentException(
          "prefix length must be 0 to " + base.bits() + ", was " + prefix);
    }
    base = base.masked(prefix);
  }

  /** Returns the block for {@code 10.0.0.0/8}, {@code 2001:db8::/32} or a single address. */
  public static IpBlock parse(String text) {
    int slash = text.indexOf('/');
    IpAddress address = IpAddress.tryParse(slash < 0 ? text : text.substring(0, slash));
    if (address == null) {
      throw notABlock(text);
    }
    if (slash < 0) {
      return new IpBlock(address, address.bits());
    }
    String digits = text.substring(slash + 1);
    if (digits.isEmpty()
        || digits.length() > 3
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw notABlock(text);
    }
    int length = Integer.parseInt(digits);
    boolean mapped = address.v4() && text.indexOf(':') >= 0;
    int prefix = mapped ? length - 96 : length;
    if (prefix < 0 || prefix > address.bits()) {
      throw notABlock(text);
    }
    return new IpBlock(address, prefix);
  }

  private static IllegalArgumentException notABlock(String text) {
    return new IllegalArgumentException(
        "not a CIDR block: '" + text + "'; write an address or address/prefix, as 10.0.0.0/8");
  }

  /** Returns whether the address lies in this block. */
  public boolean contains(IpAddress address) {
    return address.v4() == base.v4() && address.masked(prefix).equals(base);
  }

  @Override
  public String toString() {
    return base + "/" + prefix;
  }
}
