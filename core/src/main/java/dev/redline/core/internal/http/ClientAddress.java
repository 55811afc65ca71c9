package dev.redline.core.internal.http;

import dev.redline.core.key.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which client an HTTP request comes from.
 *
 * <p>Each proxy appends the peer it saw, so the hops of {@code X-Forwarded-For} are read from right
 * to left: a hop is trusted if all hops to its right are trusted proxies. The first hop that is no
 * trusted proxy is the client; if all are, the leftmost is. A hop that is no address ends the
 * search, and hops to its left are ignored: the client is then the hop to its right, the last one
 * that a trusted proxy added. So hops that a client writes into the header are never used.
 *
 * <p>Hops may carry ports and brackets ({@code 192.0.2.1:80}, {@code [2001:db8::1]:80}), zone ids
 * and spaces; empty hops are skipped.
 */
public final class ClientAddress {
  private ClientAddress() {}

  /**
   * Returns the client of a request that came from {@code peer}: the peer itself unless it is a
   * trusted proxy that says otherwise. Never empty.
   *
   * @param forwardedFor the values of {@code X-Forwarded-For} in order, each perhaps a comma list
   */
  public static Optional<IpAddress> resolve(
      IpAddress peer, List<String> forwardedFor, TrustedProxies proxies) {
    if (!proxies.trusts(peer)) {
      return Optional.of(peer);
    }
    IpAddress hop = walk(forwardedFor, proxies);
    return Optional.of(hop == null ? peer : hop);
  }

  /**
   * Returns the client that a trusted peer speaks for, or nothing if it does not say: for requests
   * about requests, whose own peer is never the client. The caller checks that the peer is trusted.
   *
   * @param forwardedFor the values of {@code X-Forwarded-For} in order, each perhaps a comma list
   */
  public static Optional<IpAddress> resolveForwarded(
      List<String> forwardedFor, TrustedProxies proxies) {
    return Optional.ofNullable(walk(forwardedFor, proxies));
  }

  /**
   * Returns the hops that {@code Forwarded} fields (RFC 7239) name, in the form the other methods
   * take. An element without a single {@code for} becomes a hop that is no address.
   *
   * <p>Elements are told apart by commas alone, quoted or not: no address contains one, and a quote
   * that a client left open cannot swallow what proxies appended.
   */
  public static List<String> forwardedFor(List<String> forwarded) {
    List<String> hops = new ArrayList<>();
    for (String value : forwarded) {
      for (String element : value.split(",", -1)) {
        if (!element.isBlank()) {
          hops.add(nodeOf(element));
        }
      }
    }
    return hops;
  }

  private static String nodeOf(String element) {
    String node = null;
    for (String pair : element.split(";", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 0 || !pair.substring(0, equals).trim().equalsIgnoreCase("for")) {
        continue;
      }
      if (node != null) {
        return "unknown";
      }
      node = unquoted(pair.substring(equals + 1).trim());
    }
    return node == null || node.isBlank() ? "unknown" : node;
  }

  private static String unquoted(String text) {
    boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
    return quoted ? text.substring(1, text.length() - 1) : text;
  }

  private static @Nullable IpAddress walk(List<String> forwardedFor, TrustedProxies proxies) {
    IpAddress believed = null;
    for (int i = forwardedFor.size() - 1; i >= 0; i--) {
      String value = forwardedFor.get(i);
      int end = value.length();
      while (end >= 0) {
        int comma = value.lastIndexOf(',', end - 1);
        String text = value.substring(comma + 1, end).trim();
        end = comma;
        if (text.isEmpty()) {
          continue;
        }
        IpAddress hop = hop(text);
        if (hop == null) {
          return believed;
        }
        believed = hop;
        if (!proxies.trusts(hop)) {
          return believed;
        }
      }
    }
    return believed;
  }

  private static @Nullable IpAddress hop(String text) {
    if (text.startsWith("[")) {
      int close = text.indexOf(']');
      boolean complete =
          close > 0 && (close == text.length() - 1 || isPort(text, close + 1)) && isV6(text, close);
      return complete ? address(text.substring(1, close)) : null;
    }
    int colon = text.indexOf(':');
    boolean v4WithPort = colon >= 0 && colon == text.lastIndexOf(':');
    if (v4WithPort) {
      return isPort(text, colon) ? address(text.substring(0, colon)) : null;
    }
    return address(text);
  }

  private static boolean isV6(String text, int close) {
    int colon = text.indexOf(':');
    return colon >= 0 && colon < close;
  }

  /** Returns whether the text ends in a colon at {@code at} and one to five digits. */
  private static boolean isPort(String text, int at) {
    int digits = text.length() - at - 1;
    if (text.charAt(at) != ':' || digits < 1 || digits > 5) {
      return false;
    }
    for (int i = at + 1; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  private static @Nullable IpAddress address(String text) {
    int zone = text.indexOf('%');
    boolean zoned = zone >= 0 && text.indexOf(':') >= 0;
    return IpAddress.tryParse(zoned ? text.substring(0, zone) : text);
  }
}
