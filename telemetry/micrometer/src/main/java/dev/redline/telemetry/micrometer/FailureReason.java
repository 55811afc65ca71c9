package dev.redline.telemetry.micrometer;

import dev.redline.core.store.StoreException;
import java.util.Locale;

/** Why a store failed: the values of the metric tag {@code reason}, which dashboards use. */
enum FailureReason {
  REDISERROR,
  BADRESPONSE,
  BADTYPES,
  /** Any failure of another store than Redis. */
  STOREERROR;

  static FailureReason of(String store, StoreException.Kind kind) {
    if (!store.equals("redis")) {
      return STOREERROR;
    }
    return switch (kind) {
      case UNAVAILABLE -> REDISERROR;
      case BAD_RESPONSE -> BADRESPONSE;
      case BAD_STATE -> BADTYPES;
    };
  }

  String tag() {
    return name().toLowerCase(Locale.ROOT);
  }
}
