package dev.redline.core.internal.key;

import java.util.ArrayList;
import java.util.List;

/**
 * Remembers a few digests, since the rules that match one request often have the same key. Not
 * thread-safe, and for one request: it keeps the long identities.
 */
public final class RecentDigests implements LongIdentities {
  private static final int MAX_KEPT = 4;

  private final List<String> identities = new ArrayList<>(MAX_KEPT);
  private final List<String> digests = new ArrayList<>(MAX_KEPT);

  @Override
  public String digest(String identity) {
    // Compares, because a hash code takes as long as several comparisons.
    int known = identities.indexOf(identity);
    if (known >= 0) {
      return digests.get(known);
    }
    String digest = IdentityDigest.of(identity);
    if (identities.size() < MAX_KEPT) {
      identities.add(identity);
      digests.add(digest);
    }
    return digest;
  }
}
