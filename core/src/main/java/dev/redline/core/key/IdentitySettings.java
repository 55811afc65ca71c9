package dev.redline.core.key;

import dev.redline.core.key.KeyField.Kind;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How raw client properties become identities; the same on all nodes that share a store.
 *
 * @param ipv6Prefix how many leading bits of an IPv6 address make one caller, 1 to 128
 * @param apiKeyDigest what API keys and other credentials are replaced by
 * @param credentialHeaders the headers whose values are credentials, in lower case
 */
public record IdentitySettings(
    int ipv6Prefix, ApiKeyDigest apiKeyDigest, Set<String> credentialHeaders) {
  private static final List<String> CREDENTIAL_HEADERS =
      List.of("Authorization", "Proxy-Authorization", "Cookie", "X-API-Key");

  /** IPv6 by /64, API keys by plain SHA-256. */
  public static final IdentitySettings DEFAULT = new IdentitySettings(64, ApiKeyDigest.unkeyed());

  /** Checks the prefix. */
  public IdentitySettings {
    Objects.requireNonNull(apiKeyDigest, "apiKeyDigest");
    if (ipv6Prefix < 1 || ipv6Prefix > 128) {
      throw new IllegalArgumentException("ipv6Prefix must be 1 to 128, was " + ipv6Prefix);
    }
    credentialHeaders = lowerCase(credentialHeaders);
  }

  /** Creates settings with the usual credential headers, such as {@code Authorization}. */
  public IdentitySettings(int ipv6Prefix, ApiKeyDigest apiKeyDigest) {
    this(ipv6Prefix, apiKeyDigest, lowerCase(CREDENTIAL_HEADERS));
  }

  /** Returns these settings with one more header whose values are credentials. */
  public IdentitySettings withCredentialHeader(String name) {
    Set<String> names = new HashSet<>(credentialHeaders);
    names.add(name);
    return new IdentitySettings(ipv6Prefix, apiKeyDigest, names);
  }

  private static Set<String> lowerCase(Collection<String> names) {
    return names.stream()
        .map(name -> name.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns whether the values of a field are credentials, which appear only as digests. */
  public boolean isCredential(KeyField field) {
    return field.kind() == Kind.API_KEY
        || (field.kind() == Kind.HEADER
            && credentialHeaders.contains(field.name().toLowerCase(Locale.ROOT)));
  }

  /** Returns the text under which an address is one caller: itself, or its IPv6 block. */
  public String caller(IpAddress address) {
    return address.v4() || ipv6Prefix == 128
        ? address.toString()
        : address.masked(ipv6Prefix) + "/" + ipv6Prefix;
  }
}
