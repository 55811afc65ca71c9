package dev.redline.core.internal.http;

import dev.redline.core.RateLimitResult;
import dev.redline.core.RateLimitResult.BandStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11: one structured-field list of policies, and
 * one of what is left of them.
 */
final class IetfFields {
  private static final int MOST = 8;

  private IetfFields() {}

  static void forEach(RateLimitResult result, BiConsumer<String, String> field) {
    List<BandStatus> bands = shown(result);
    if (bands.isEmpty()) {
      return;
    }
    List<String> names = names(bands);
    StringBuilder policies = new StringBuilder(48 * bands.size());
    StringBuilder limits = new StringBuilder(48 * bands.size());
    for (int i = 0; i < bands.size(); i++) {
      BandStatus band = bands.get(i);
      String separator = i == 0 ? "" : ", ";
      string(policies.append(separator), names.get(i));
      policies.append(";q=").append(band.limit()).append(";w=").append(seconds(band.window()));
      string(limits.append(separator), names.get(i));
      limits.append(";r=").append(band.remaining()).append(";t=").append(seconds(band.next()));
    }
    field.accept("RateLimit-Policy", policies.toString());
    field.accept("RateLimit", limits.toString());
  }

  /** Returns the first bands; the one that the result names is always among them. */
  private static List<BandStatus> shown(RateLimitResult result) {
    List<BandStatus> all = result.bands();
    if (all.size() <= MOST) {
      return all;
    }
    List<BandStatus> first = all.subList(0, MOST);
    if (first.stream().anyMatch(band -> isReported(band, result))) {
      return first;
    }
    return all.stream()
        .filter(band -> isReported(band, result))
        .findFirst()
        .map(
            reported -> Stream.concat(first.stream().limit(MOST - 1), Stream.of(reported)).toList())
        .orElse(first);
  }

  private static boolean isReported(BandStatus band, RateLimitResult result) {
    return band.passed() == result.allowed()
        && band.label().equals(result.bandOrNull())
        && band.limit() == result.limitOrAbsent();
  }

  /** Returns a name for each band: its label, qualified by its owner where two would be equal. */
  private static List<String> names(List<BandStatus> bands) {
    List<String> names = new ArrayList<>(bands.size());
    bands.forEach(band -> names.add(band.label()));
    boolean changed = bands.size() > 1;
    while (changed) {
      changed = false;
      for (int i = 0; i < names.size(); i++) {
        BandStatus band = bands.get(i);
        if (names.get(i).equals(band.label()) && isShared(bands, names, i)) {
          names.set(i, band.owner() + "." + band.label());
          changed = true;
        }
      }
    }
    for (int i = 1; i < names.size(); i++) {
      names.set(i, numbered(names, i));
    }
    return names;
  }

  /** Returns whether another band has, or had before it was qualified, the label of this one. */
  private static boolean isShared(List<BandStatus> bands, List<String> names, int i) {
    String label = bands.get(i).label();
    for (int other = 0; other < bands.size(); other++) {
      if (other != i
          && (bands.get(other).label().equals(label) || names.get(other).equals(label))) {
        return true;
      }
    }
    return false;
  }

  /** Returns a name that no other band has, such as for one band that counts several keys. */
  private static String numbered(List<String> names, int i) {
    String name = names.get(i);
    for (int n = 2; isTaken(names, i, name); n++) {
      name = names.get(i) + "-" + n;
    }
    return name;
  }

  private static boolean isTaken(List<String> names, int i, String name) {
    int first = names.indexOf(name);
    return first >= 0 && (first != i || names.lastIndexOf(name) != i);
  }

  /** Appends an sf-string; rule books allow no label that needs to be escaped. */
  private static void string(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\');
      }
      out.append(c < ' ' || c > '~' ? '_' : c);
    }
    out.append('"');
  }

  private static long seconds(Duration duration) {
    return duration.getNano() == 0 ? duration.getSeconds() : duration.getSeconds() + 1;
  }
}
