package dev.redline.spring.method;

import dev.redline.core.key.RequestContext;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The headers of a request as {@code #header['X']} reads them: the first value of each. */
final class HeaderMap extends AbstractMap<String, String> {
  private final RequestContext request;

  HeaderMap(RequestContext request) {
    this.request = request;
  }

  @Override
  public @Nullable String get(@Nullable Object name) {
    return name instanceof String text ? request.headerOrNull(text) : null;
  }

  @Override
  public boolean containsKey(@Nullable Object name) {
    return get(name) != null;
  }

  /** Returns nothing: names are looked up, not listed. */
  @Override
  public Set<Map.Entry<String, String>> entrySet() {
    return Set.of();
  }
}
