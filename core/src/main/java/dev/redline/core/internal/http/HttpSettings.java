package dev.redline.core.internal.http;

/**
 * How decisions are expressed in HTTP.
 *
 * @param legacyHeaders whether the {@code X-RateLimit-…} fields are sent; {@code Retry-After} is
 *     either way
 * @param ietfHeaders whether {@code RateLimit-Policy} and {@code RateLimit} are sent
 * @param failClosedStatus the status when the store failed and the rules say to deny then: 429 or
 *     503
 */
public record HttpSettings(boolean legacyHeaders, boolean ietfHeaders, int failClosedStatus) {
  /** The defaults of all settings. */
  public static final HttpSettings DEFAULT = new HttpSettings(true, false, 429);

  /** Checks the status. */
  public HttpSettings {
    if (failClosedStatus != 429 && failClosedStatus != 503) {
      throw new IllegalArgumentException(
          "failClosedStatus must be 429 or 503, was " + failClosedStatus);
    }
  }
}
