package dev.redline.core.internal.rule;

import dev.redline.core.internal.path.Glob;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.MatchCondition;
import dev.redline.core.rule.MatchCondition.NoMatch;
import java.util.List;

/**
 * Demands a user id.
 *
 * @param globs the globs, of which one must match it
 */
public record UserIdCondition(List<Glob> globs) implements MatchCondition {
  /** Reads {@code userIds: [glob]}. */
  public static final OfTexts TYPE =
      new OfTexts("userIds", texts -> new UserIdCondition(texts.stream().map(Glob::new).toList()));

  /** Copies the list. */
  public UserIdCondition {
    globs = List.copyOf(globs);
  }

  @Override
  public Type type() {
    return TYPE;
  }

  @Override
  public NoMatch reason() {
    return NoMatch.USER_ID;
  }

  @Override
  public boolean test(RequestContext request) {
    String userId = request.userIdOrNull();
    if (userId == null) {
      return false;
    }
    for (int i = 0; i < globs.size(); i++) {
      if (globs.get(i).matches(userId)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<String> values() {
    return globs.stream().map(Glob::pattern).toList();
  }
}
