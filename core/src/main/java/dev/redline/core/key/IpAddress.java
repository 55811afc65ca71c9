package dev.redline.core.key;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address, parsed strictly and without any name lookup.
 *
 * <p>An IPv4-mapped IPv6 address is the IPv4 address. Brackets, ports and zone ids are not part of
 * an address.
 *
 * @param v4 whether this is an IPv4 address, held in the low 32 bits of {@code low}
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record IpAddress(boolean v4, long high, long low) {
  private static final int MAPPED_PREFIX = 0xFFFF;

  /** Returns the address, or throws an {@link IllegalArgumentException} naming the text. */
  public static IpAddress parse(String text) {
    IpAddress address = tryParse(text);
    if (address == null) {
      throw new IllegalArgumentException("not an IP address: '" + text + "'");
    }
    return address;
  }

  /** Returns the address, or null if the text is none. */
  public static @Nullable IpAddress tryParse(String text) {
    if (text.length() > 45) {
      return null;
    }
    return text.indexOf(':') >= 0 ? parseV6(text) : parseV4(text);
  }

  private static @Nullable IpAddress parseV4(String text) {
    long bits = v4Bits(text, 0);
    return bits < 0 ? null : new IpAddress(true, 0, bits);
  }

  /** Returns the 32 bits of a dotted quad that reaches from {@code from} to the end, or -1. */
  private static long v4Bits(String text, int from) {
    long bits = 0;
    int octets = 0;
    int i = from;
    while (true) {
      int start = i;
      int value = 0;
      while (i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9' && i - start < 3) {
        value = value * 10 + (text.charAt(i++) - '0');
      }
      boolean leadingZero = i - start > 1 && text.charAt(start) == '0';
      if (i == start || value > 255 || leadingZero) {
        return -1;
      }
      bits = bits << 8 | value;
      octets++;
      if (octets == 4) {
        return i == text.length() ? bits : -1;
      }
      if (i >= text.length() || text.charAt(i++) != '.') {
        return -1;
      }
    }
  }

  private static @Nullable IpAddress parseV6(String text) {
    int[] groups = new int[8];
    int count = 0;
    int gap = -1;
    int i = 0;
    if (text.startsWith("::")) {
      gap = 0;
      i = 2;
    } else if (text.startsWith(":")) {
      return null;
    }
    while (i < text.length()) {
      if (count == 8) {
        return null;
      }
      int end = i;
      while (end < text.length() && Character.digit(text.charAt(end), 16) >= 0) {
        if (text.charAt(end) > 'f') {
          return null;
        }
        end++;
      }
      if (end < text.length() && text.charAt(end) == '.') {
        long bits = v4Bits(text, i);
        if (bits < 0 || count > 6) {
          return null;
        }
        groups[count++] = (int) (bits >>> 16);
        groups[count++] = (int) (bits & 0xFFFF);
        break;
      }
      if (end == i || end - i > 4) {
        return null;
      }
      groups[count++] = Integer.parseInt(text, i, end, 16);
      i = end;
      if (i == text.length()) {
        break;
      }
      if (text.charAt(i++) != ':' || i == text.length()) {
        return null;
      }
      if (text.charAt(i) == ':') {
        if (gap >= 0) {
          return null;
        }
        gap = count;
        i++;
      }
    }
    if (gap < 0 ? count != 8 : count > 7) {
      return null;
    }
    return fromGroups(groups, count, gap);
  }

  private static IpAddress fromGroups(int[] groups, int count, int gap) {
    int shift = gap < 0 ? 0 : 8 - count;
    long high = 0;
    long low = 0;
    for (int at = 0; at < 8; at++) {
      int group;
      if (gap < 0 || at < gap) {
        group = groups[at];
      } else {
        group = at < gap + shift ? 0 : groups[at - shift];
      }
      if (at < 4) {
        high = high << 16 | group;
      } else {
        low = low << 16 | group;
      }
    }
    boolean mapped = high == 0 && low >>> 32 == MAPPED_PREFIX;
    return mapped ? new IpAddress(true, 0, low & 0xFFFFFFFFL) : new IpAddress(false, high, low);
  }

  /** Returns how many bits an address of this family has: 32 or 128. */
  public int bits() {
    return v4 ? 32 : 128;
  }

  /** Returns this address with all but the first {@code prefix} bits cleared. */
  public IpAddress masked(int prefix) {
    if (v4) {
      return new IpAddress(true, 0, prefix == 0 ? 0 : low & (-1L << (32 - prefix)));
    }
    long highMask = prefix >= 64 ? -1L : prefix == 0 ? 0 : -1L << (64 - prefix);
    long lowMask = prefix <= 64 ? 0 : -1L << (128 - prefix);
    return new IpAddress(false, high & highMask, low & lowMask);
  }

  /** Returns the canonical text: dotted quad, or RFC 5952. */
  @Override
  public String toString() {
    return prefixed("");
  }

  /** Returns the canonical text after an ASCII prefix, without making either text first. */
  public String prefixed(String prefix) {
    return v4 ? quad(prefix) : groups(prefix);
  }

  private String quad(String prefix) {
    byte[] text = new byte[prefix.length() + 15];
    int end = 0;
    for (int i = 0; i < prefix.length(); i++) {
      text[end++] = (byte) prefix.charAt(i);
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      int octet = (int) (low >>> shift) & 255;
      if (octet > 99) {
        text[end++] = (byte) ('0' + octet / 100);
      }
      if (octet > 9) {
        text[end++] = (byte) ('0' + octet / 10 % 10);
      }
      text[end++] = (byte) ('0' + octet % 10);
      if (shift > 0) {
        text[end++] = '.';
      }
    }
    return new String(text, 0, end, StandardCharsets.ISO_8859_1);
  }

  private String groups(String prefix) {
    StringBuilder text = new StringBuilder(prefix.length() + 39).append(prefix);
    int[] groups = new int[8];
    for (int at = 0; at < 8; at++) {
      groups[at] = (int) (((at < 4 ? high : low) >>> (16 * (3 - at % 4))) & 0xFFFF);
    }
    int gapStart = -1;
    int gapLength = 1;
    for (int at = 0; at < 8; at++) {
      int length = 0;
      while (at + length < 8 && groups[at + length] == 0) {
        length++;
      }
      if (length > gapLength) {
        gapStart = at;
        gapLength = length;
      }
    }
    for (int at = 0; at < 8; at++) {
      if (at == gapStart) {
        text.append("::");
        at += gapLength - 1;
        continue;
      }
      if (at > 0 && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(groups[at]));
    }
    return text.toString();
  }
}
