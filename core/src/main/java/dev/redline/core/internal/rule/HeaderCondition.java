package dev.redline.core.internal.rule;

import dev.redline.core.internal.path.Glob;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.MatchCondition.NoMatch;
import java.util.List;
import java.util.Map;

/** Demands headers; of a header with several values one must match. */
public final class HeaderCondition extends NamedGlobs {
  /** Reads {@code headers: {name: glob}}. */
  public static final OfNamedTexts TYPE =
      new OfNamedTexts("headers", texts -> new HeaderCondition(parse(texts)));

  /** Creates the condition; headers are tested in the order of the map. */
  public HeaderCondition(Map<String, Glob> globs) {
    super(globs);
  }

  @Override
  public Type type() {
    return TYPE;
  }

  @Override
  public NoMatch reason() {
    return NoMatch.HEADER;
  }

  @Override
  boolean test(RequestContext request, String name, Glob glob) {
    List<String> values = request.headerValues(name);
    for (int i = 0; i < values.size(); i++) {
      if (glob.matches(values.get(i))) {
        return true;
      }
    }
    return false;
  }
}
