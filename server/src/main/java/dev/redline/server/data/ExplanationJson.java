package dev.redline.server.data;

import dev.redline.core.Explanation;
import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.internal.http.DecisionJson;
import dev.redline.core.internal.http.JsonText;
import java.util.List;

/** Writes an explanation as the JSON object that {@code /v1/explain} returns. */
public final class ExplanationJson {
  /** How many rules that did not match are written; {@code omitted} counts the others. */
  private static final int MAX_UNMATCHED = 200;

  /** How much of a value is written: every rule that matches repeats it. */
  private static final int MAX_VALUE = 256;

  private ExplanationJson() {}

  /**
   * Appends the explanation.
   *
   * @param lineBreak the text before each rule: empty, or a line break for human readers
   */
  public static StringBuilder write(StringBuilder out, Explanation explanation, String lineBreak) {
    DecisionJson.write(out.append("{\"decision\":"), explanation.decision());
    out.append(',').append(lineBreak).append("\"rules\":[");
    String separator = "";
    int unmatched = 0;
    for (Explanation.Entry entry : explanation.rules()) {
      if (entry.matched() || ++unmatched <= MAX_UNMATCHED) {
        entry(out.append(separator).append(lineBreak), entry);
        separator = ",";
      }
    }
    out.append(explanation.rules().isEmpty() ? "" : lineBreak).append(']');
    if (unmatched > MAX_UNMATCHED) {
      out.append(",\"omitted\":").append(unmatched - MAX_UNMATCHED);
    }
    return out.append('}');
  }

  private static void entry(StringBuilder out, Explanation.Entry entry) {
    out.append('{');
    entry.ruleSetId().ifPresent(id -> JsonText.quote(out.append("\"ruleSetId\":"), id).append(','));
    JsonText.quote(out.append(entry.plan() ? "\"plan\":" : "\"ruleId\":"), entry.id());
    out.append(entry.matched() ? ",\"matched\":true" : ",\"matched\":false");
    entry.why().ifPresent(why -> out.append(",\"why\":\"").append(why.name()).append('"'));
    entry.field().ifPresent(field -> JsonText.quote(out.append(",\"field\":"), field));
    identity(out, entry.identity());
    bands(out, entry.bands());
    if (entry.leased() > 0) {
      out.append(",\"leased\":").append(entry.leased());
    }
    out.append('}');
  }

  private static void identity(StringBuilder out, List<String> identity) {
    if (identity.size() == 1) {
      JsonText.quote(out.append(",\"identity\":"), shortened(identity.get(0)));
    } else if (!identity.isEmpty()) {
      String separator = ",\"identity\":[";
      for (String part : identity) {
        JsonText.quote(out.append(separator), shortened(part));
        separator = ",";
      }
      out.append(']');
    }
  }

  private static String shortened(String value) {
    if (value.length() <= MAX_VALUE) {
      return value;
    }
    int end = Character.isHighSurrogate(value.charAt(MAX_VALUE - 1)) ? MAX_VALUE - 1 : MAX_VALUE;
    return value.substring(0, end) + "…";
  }

  private static void bands(StringBuilder out, List<BandStatus> bands) {
    if (bands.isEmpty()) {
      return;
    }
    String separator = ",\"bands\":[";
    for (BandStatus band : bands) {
      JsonText.quote(out.append(separator).append("{\"label\":"), band.label());
      out.append(",\"limit\":").append(band.limit());
      out.append(",\"remaining\":").append(band.remaining());
      out.append(",\"resetAtMs\":").append(millis(band)).append('}');
      separator = ",";
    }
    out.append(']');
  }

  private static long millis(BandStatus band) {
    return band.resetAt().plusNanos(999_999).toEpochMilli();
  }
}
