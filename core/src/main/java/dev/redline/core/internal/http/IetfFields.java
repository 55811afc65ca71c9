package dev.redline.core.internal.http;

import dev.redline.core.RateLimitResult.BandStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-11: one structured-field list of policies, and
 * one of what is left of them.
 */
final class IetfFields {
  private static final int MOST = 8;

  private IetfFields() {}

  static void forEach(List<BandStatus> all, BiConsumer<String, String> field) {
    List<BandStatus> bands = all.size() <= MOST ? all : all.subList(0, MOST);
    if (bands.isEmpty()) {
      return;
    }
    StringBuilder policies = new StringBuilder(48 * bands.size());
    StringBuilder limits = new StringBuilder(48 * bands.size());
    for (int i = 0; i < bands.size(); i++) {
      BandStatus band = bands.get(i);
      String separator = i == 0 ? "" : ", ";
      name(policies.append(separator), bands, i);
      policies.append(";q=").append(band.limit()).append(";w=").append(seconds(band.window()));
      name(limits.append(separator), bands, i);
      limits.append(";r=").append(band.remaining()).append(";t=").append(seconds(band.next()));
    }
    field.accept("RateLimit-Policy", policies.toString());
    field.accept("RateLimit", limits.toString());
  }

  private static void name(StringBuilder out, List<BandStatus> bands, int i) {
    BandStatus band = bands.get(i);
    out.append('"');
    if (isShared(bands, i)) {
      string(out, band.owner());
      out.append('.');
    }
    string(out, band.label());
    out.append('"');
  }

  private static boolean isShared(List<BandStatus> bands, int i) {
    for (int other = 0; other < bands.size(); other++) {
      if (other != i && bands.get(other).label().equals(bands.get(i).label())) {
        return true;
      }
    }
    return false;
  }

  /** Appends the inside of an sf-string; rule books allow no label that needs any of this. */
  private static void string(StringBuilder out, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\');
      }
      out.append(c < ' ' || c > '~' ? '_' : c);
    }
  }

  private static long seconds(Duration duration) {
    return duration.getNano() == 0 ? duration.getSeconds() : duration.getSeconds() + 1;
  }
}
