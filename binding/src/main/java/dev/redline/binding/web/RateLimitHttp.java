package dev.redline.binding.web;

import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.HttpDecision;
import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.settings.Settings;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How decisions look in HTTP, the same in filters and for annotated methods. Immutable.
 *
 * @param settings which headers are sent
 * @param customizers what changes responses to denied requests
 */
public record RateLimitHttp(HttpSettings settings, List<DenialCustomizer> customizers) {
  /** The name of the request attribute that holds the result whose headers the response has. */
  public static final String RESULT = RateLimitHttp.class.getName() + ".RESULT";

  /** The header that lists the fields which scripts of other origins may read. */
  public static final String EXPOSE = "Access-Control-Expose-Headers";

  private static final String RETRY = "Retry-After";
  private static final String LEGACY =
      ", X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-RateLimit-Retry-After";
  private static final String IETF = ", RateLimit-Policy, RateLimit";

  /** Copies the list. */
  public RateLimitHttp {
    customizers = List.copyOf(customizers);
  }

  /** Returns the HTTP semantics by settings. */
  public static RateLimitHttp of(Settings settings, List<DenialCustomizer> customizers) {
    return new RateLimitHttp(
        new HttpSettings(
            settings.headers().legacy(), settings.headers().ietf(), settings.fail().closedStatus()),
        customizers);
  }

  /** Returns what a result means in HTTP. */
  public HttpDecision decision(RateLimitResult result) {
    return HttpDecision.of(result, settings);
  }

  /**
   * Hands over each header field of a result.
   *
   * @param retry whether those are included that say when to retry
   */
  public void forEachHeader(
      RateLimitResult result, boolean retry, BiConsumer<String, String> field) {
    decision(result)
        .forEachHeader(
            (name, value) -> {
              if (retry || !name.endsWith("Retry-After")) {
                field.accept(name, value);
              }
            });
  }

  /**
   * Sets the header fields of a result, in place of those of an earlier one. Does nothing if the
   * response has those of a more important result, or is committed.
   *
   * @param retry whether those are included that say when to retry
   */
  public void write(RateLimitResult result, boolean retry, LimitedResponse response) {
    Object before = response.result();
    if (response.isCommitted() || !replaces(result, before)) {
      return;
    }
    if (before instanceof RateLimitResult earlier) {
      Set<String> obsolete = names(earlier);
      forEachHeader(result, retry, (name, value) -> obsolete.remove(name));
      remove(obsolete, response);
    }
    response.result(result);
    forEachHeader(result, retry, response::set);
    response.expose(exposedHeaders());
  }

  /**
   * Sets the header fields of the response to a denied request, in place of those of earlier
   * results: also of this one, of which customizers may have removed some. Does nothing if the
   * response is committed.
   */
  public void write(DenialResponse denial, LimitedResponse response) {
    if (response.isCommitted()) {
      return;
    }
    if (response.result() instanceof RateLimitResult earlier) {
      Set<String> obsolete = names(earlier);
      denial.headers().keySet().forEach(obsolete::remove);
      remove(obsolete, response);
    }
    response.result(denial.result());
    denial.headers().forEach(response::set);
    response.expose(exposedHeaders());
  }

  /** Returns the names of the header fields of a result. */
  private Set<String> names(RateLimitResult result) {
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    forEachHeader(result, true, (name, value) -> names.add(name));
    return names;
  }

  private static void remove(Set<String> obsolete, LimitedResponse response) {
    if (!obsolete.isEmpty()) {
      response.remove(obsolete);
    }
  }

  /** Returns the response to a denied request. */
  public DenialResponse denial(RateLimitResult result) {
    DenialResponse response = new DenialResponse(decision(result));
    for (DenialCustomizer customizer : customizers) {
      customizer.customize(response, result);
    }
    return response;
  }

  /** Returns the fields that scripts of other origins may read, as a value of {@link #EXPOSE}. */
  private String exposedHeaders() {
    if (settings.legacyHeaders()) {
      return settings.ietfHeaders() ? RETRY + LEGACY + IETF : RETRY + LEGACY;
    }
    return settings.ietfHeaders() ? RETRY + IETF : RETRY;
  }

  /**
   * Returns whether the headers of a result replace those of an earlier one of the same request: a
   * denial does, and so does a result with a smaller share left.
   */
  public static boolean replaces(RateLimitResult result, @Nullable Object earlier) {
    if (!(earlier instanceof RateLimitResult before)) {
      return true;
    }
    return before.allowed() && (!result.allowed() || share(result) < share(before));
  }

  /** Returns the share left of the reported band; 2 if none is reported. */
  private static double share(RateLimitResult result) {
    return result.limitOrAbsent() == RateLimitResult.ABSENT
        ? 2
        : (double) result.remainingOrAbsent() / result.limitOrAbsent();
  }
}
