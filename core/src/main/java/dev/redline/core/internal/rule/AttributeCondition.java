package dev.redline.core.internal.rule;

import dev.redline.core.internal.path.Glob;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.MatchCondition.NoMatch;
import java.util.Map;

/** Demands attributes. */
public final class AttributeCondition extends NamedGlobs {
  /** Reads {@code attributes: {name: glob}}. */
  public static final OfNamedTexts TYPE =
      new OfNamedTexts("attributes", texts -> new AttributeCondition(parse(texts)));

  /** Creates the condition; attributes are tested in the order of the map. */
  public AttributeCondition(Map<String, Glob> globs) {
    super(globs);
  }

  @Override
  public Type type() {
    return TYPE;
  }

  @Override
  public NoMatch reason() {
    return NoMatch.ATTRIBUTE;
  }

  @Override
  boolean test(RequestContext request, String name, Glob glob) {
    String value = request.attributeOrNull(name);
    return value != null && glob.matches(value);
  }
}
