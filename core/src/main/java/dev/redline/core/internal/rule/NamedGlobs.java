package dev.redline.core.internal.rule;

import dev.redline.core.internal.path.Glob;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.MatchCondition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A condition that demands named properties of a request, each matching a glob. */
abstract class NamedGlobs implements MatchCondition {
  private final List<String> names;
  private final List<Glob> globs;

  NamedGlobs(Map<String, Glob> globs) {
    this.names = List.copyOf(globs.keySet());
    this.globs = List.copyOf(globs.values());
  }

  static Map<String, Glob> parse(Map<String, String> texts) {
    Map<String, Glob> globs = new LinkedHashMap<>();
    texts.forEach((name, text) -> globs.put(name, new Glob(text)));
    return globs;
  }

  abstract boolean test(RequestContext request, String name, Glob glob);

  @Override
  public final boolean test(RequestContext request) {
    return firstFailing(request) == null;
  }

  @Override
  public final String failingField(RequestContext request) {
    String failing = firstFailing(request);
    return failing == null ? type().name() : failing;
  }

  private @Nullable String firstFailing(RequestContext request) {
    for (int i = 0; i < names.size(); i++) {
      if (!test(request, names.get(i), globs.get(i))) {
        return names.get(i);
      }
    }
    return null;
  }

  /** Returns the patterns by name, sorted, so that equal conditions are written alike. */
  @Override
  public final Map<String, String> values() {
    Map<String, String> values = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      values.put(names.get(i), globs.get(i).pattern());
    }
    return values;
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof NamedGlobs that
        && type().name().equals(that.type().name())
        && values().equals(that.values());
  }

  @Override
  public final int hashCode() {
    return values().hashCode();
  }

  @Override
  public final String toString() {
    return type().name() + values();
  }
}
