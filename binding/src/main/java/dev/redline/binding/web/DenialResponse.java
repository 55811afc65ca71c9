package dev.redline.binding.web;

import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.HttpDecision;
import dev.redline.core.internal.http.ProblemDetails;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP response to a denied request, for a {@link DenialCustomizer} to change. Used by one
 * thread.
 */
public final class DenialResponse {
  private final RateLimitResult result;
  private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private int status;
  private String contentType = ProblemDetails.MEDIA_TYPE;
  private String body;

  /** Creates the response that a decision asks for. */
  public DenialResponse(HttpDecision decision) {
    this.result = decision.result();
    this.status = decision.status();
    this.body = decision.problemJson();
    decision.forEachHeader(headers::put);
  }

  RateLimitResult result() {
    return result;
  }

  /** Returns the status. */
  public int status() {
    return status;
  }

  /**
   * Sets the status.
   *
   * @throws IllegalArgumentException if it is not 200 to 599
   */
  public DenialResponse status(int value) {
    if (value < 200 || value > 599) {
      throw new IllegalArgumentException("status must be 200 to 599, was " + value);
    }
    status = value;
    return this;
  }

  /** Returns the header fields; names are compared ignoring case. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Sets a header field, or removes it if the value is null. */
  public DenialResponse header(String name, @Nullable String value) {
    if (value == null) {
      headers.remove(name);
    } else {
      headers.put(name, value);
    }
    return this;
  }

  /** Returns the media type of the body. */
  public String contentType() {
    return contentType;
  }

  /** Returns the body. */
  public String body() {
    return body;
  }

  /** Sets the body, which is sent in UTF-8; an empty one is sent without a media type. */
  public DenialResponse body(String mediaType, String text) {
    contentType = mediaType;
    body = text;
    return this;
  }
}
