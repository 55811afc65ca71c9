package dev.redline.core;

import org.jspecify.annotations.Nullable;

/** Details whose numbers are those of one band, worked out when somebody asks. */
interface ReportedDetails extends ResultDetails {
  /** Returns the band whose numbers are told, or null if none is. */
  @Nullable BandReport report();

  @Override
  default @Nullable String band() {
    BandReport report = report();
    return report == null ? null : report.label();
  }

  @Override
  default long limit() {
    BandReport report = report();
    return report == null ? RateLimitResult.ABSENT : report.capacity();
  }

  @Override
  default long remaining() {
    BandReport report = report();
    return report == null ? RateLimitResult.ABSENT : report.remaining();
  }

  @Override
  default long resetAtMicros() {
    BandReport report = report();
    return report == null ? RateLimitResult.ABSENT : report.resetAtMicros();
  }
}
